/// What `--version` prints for every program of the package.
package enum ProductVersion {
  package static let current = "0.1.0"
  /// Of the manual pages: the day of the last change to what they say.
  package static let manualDate = "November 30, 2026"
}
