import Glibc

/// A directory of this process alone (mode 0700), for sockets of demonstrations and tests. Its path is short enough for
/// a socket's.
package struct TemporaryDirectory: Sendable {
  package let path: String

  package init(prefix: String) throws(Errno) {
    var template = Array("/tmp/\(prefix).XXXXXX".utf8CString)
    let made = unsafe template.withUnsafeMutableBufferPointer { unsafe mkdtemp($0.baseAddress!) != nil }
    if !made { throw Errno(rawValue: errno) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Removes it with everything in it.
  package func remove() { Self.remove(path) }

  private static func remove(_ path: String) {
    if let directory = unsafe opendir(path) {
      while let entry = unsafe readdir(directory) {
        let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
          unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name == "." || name == ".." { continue }
        let child = path + "/" + name
        if unsafe unlink(child) != 0 { remove(child) }
      }
      unsafe closedir(directory)
    }
    _ = unsafe rmdir(path)
  }
}
