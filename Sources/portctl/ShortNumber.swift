import HIDKit

extension Double {
  /// "12" instead of "12.0".
  var short: String { self == rounded() && magnitude < 1e9 ? "\(Int(self))" : "\(self)" }
}

extension HIDPoint {
  var short: String { "(\(x.short), \(y.short))" }
}
