import CPortShims
import Glibc

/// The process environment, read only.
package enum Environment {
  package static func value(_ name: String) -> String? {
    guard let text = unsafe getenv(name) else { return nil }
    return unsafe String(cString: text)
  }

  /// The program runs with more rights than its user: variables of the user must not steer it.
  package static var isSecure: Bool { cps_is_secure_execution() }
}
