import TestSupport
import Testing

/// `#expect` for values that cannot be copied, which its macro would have to do.
func check(
  _ condition: @autoclosure () throws -> Bool, _ comment: @autoclosure () -> Comment? = nil,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  do {
    let holds = try condition()
    if !holds { Issue.record(comment() ?? "does not hold", sourceLocation: sourceLocation) }
  } catch {
    Issue.record(error, comment(), sourceLocation: sourceLocation)
  }
}

/// No descriptor is open that was not in `before`. For exit tests.
func checkCensus(_ before: Set<CInt>, sourceLocation: SourceLocation = #_sourceLocation) {
  if let leak = descriptorLeak(since: before) { Issue.record("\(leak)", sourceLocation: sourceLocation) }
}
