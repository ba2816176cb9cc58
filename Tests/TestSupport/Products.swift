import FoundationEssentials
import LinuxSystem

/// Where the build put the programs that belong to these tests.
package enum Products {
  struct NotFound: Error, CustomStringConvertible {
    let places: [String]
    var description: String { "portd lies in none of \(places); build all targets first" }
  }

  /// The folder of the test runner or one above it: programs of another configuration would prove nothing.
  package static func directory() throws -> String {
    var places: [String] = []
    for start in [try ProcessFacts.executableDirectory(), folder(of: CommandLine.arguments.first ?? "")] {
      var place = start
      for _ in 0..<4 where place.count > 1 {
        places.append(place)
        if FileManager.default.isExecutableFile(atPath: place + "/portd") { return place }
        place = folder(of: place)
      }
    }
    throw NotFound(places: places)
  }

  private static func folder(of path: String) -> String {
    String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
  }
}
