import Glibc

/// What a test does to its own process and files. For exit tests.
package enum RawProcess {
  /// No other thread may read the environment meanwhile.
  package static func set(_ variable: String, _ value: String) { _ = unsafe setenv(variable, value, 1) }

  /// Lets every user do everything with a file.
  package static func openToAll(_ path: String) -> Bool { unsafe chmod(path, 0o777) == 0 }
}
