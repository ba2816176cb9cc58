import CCostCount
import LinuxSystem

/// How long and under what the tests run.
package enum Depth {
  /// `make deep`: tests that repeat something repeat it thousands of times.
  package static var isDeep: Bool { ProcessFacts.environment("PORTKIT_DEEP") == "1" }

  /// A sanitizer has memory and descriptors of its own, and keeps what was given back.
  package static var hasSanitizer: Bool { has_sanitizer() }
}
