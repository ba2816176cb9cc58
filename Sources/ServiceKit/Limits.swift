/// Every bound of this module with its reason.
package enum Limits {
  /// What the option scanner holds on its stack; a command with more options wants to be two commands.
  package static let optionsMax = 64

  /// Bytes of somebody else's text in one log line: a name of the longest kind (128) fits, a flood does not.
  package static let quotedBytesMax = 160

  /// Bytes of one log line; well below PIPE_BUF, up to which the kernel keeps the lines of several writers whole.
  package static let logLineBytesMax = 1024

  /// Senders that the log's rate limiter remembers. One more takes the place of the one that was quiet longest.
  package static let rateLimitedKeysMax = 256

  /// `sun_path` has 108 bytes, one of them for the zero at its end.
  package static let socketPathBytesMax = 107

  /// Lines are wrapped here, as 80-column terminals show them whole.
  package static let helpWidth = 80
}
