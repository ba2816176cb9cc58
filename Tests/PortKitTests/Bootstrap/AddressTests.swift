import LinuxSystem
import TestSupport
import Testing

@testable import PortKit

@Suite struct AddressTests {
  @Test func theEnvironmentSaysWhere() async {
    await #expect(processExitsWith: .success) {
      RawProcess.set("PORTD_SOCKET", "/tmp/x/s")
      RawProcess.set("XDG_RUNTIME_DIR", "/run/user/7")
      check(try BrokerAddress.fromEnvironment().path == "/tmp/x/s")
      RawProcess.set("PORTD_SOCKET", "")
      check(try BrokerAddress.fromEnvironment().path == "/run/user/7/portd/bootstrap.sock")
      RawProcess.set("XDG_RUNTIME_DIR", "")
      #expect(throws: BootstrapError.noRuntimeDirectory) { try BrokerAddress.fromEnvironment() }
      #expect(throws: BootstrapError.noRuntimeDirectory) { try Bootstrap.connect() }
    }
  }

  @Test(arguments: [("/a/b", "/a"), ("/b", "/"), ("b", "."), ("a/b", "a"), ("/a/", "/a")])
  func directories(path: String, directory: String) {
    #expect(BrokerAddress(path: path).directory == directory)
  }
}

@Suite struct ServiceNameTests {
  private func failure(_ bytes: [UInt8]) -> ServiceNameError? {
    do throws(ServiceNameError) {
      _ = try ServiceName(utf8: bytes)
      return nil
    } catch {
      return error
    }
  }

  @Test func namesAreShortTextWithoutControlCharacters() throws {
    #expect(try ServiceName("org.example.écho").description == "org.example.écho")
    #expect(failure([UInt8](repeating: 97, count: 128)) == nil)
    #expect(failure([UInt8](repeating: 97, count: 129)) == .tooLong(bytes: 129))
    #expect(failure([]) == .empty)
    #expect(failure([97, 0]) == .controlCharacter(code: 0, byte: 1))
    #expect(failure([0xc3, 0xa9, 0x7f]) == .controlCharacter(code: 0x7f, byte: 2))
    #expect(failure([0xc2, 0x85]) == .controlCharacter(code: 0x85, byte: 0))
    #expect(failure([97, 0xff, 98]) == .invalidUTF8(byte: 1))
    #expect(failure([0xc3]) == .invalidUTF8(byte: 0))
    #expect(failure([97, 0xc3, 0xa9, 0xc3]) == .invalidUTF8(byte: 3))
    #expect(throws: ServiceNameError.tooLong(bytes: 130)) { try ServiceName(String(repeating: "é", count: 65)) }
    #expect(ServiceNameError.controlCharacter(code: 0x85, byte: 0).description.contains("U+0085"))
  }
}
