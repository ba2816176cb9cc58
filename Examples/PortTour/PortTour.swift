// Everything that ports can do, a few lines for each. Docs/Ports.md explains it.
//
//   PortTour            what needs one process only
//   PortTour serve      a service, in a process of its own; needs portd
//   PortTour visit      its client, which takes its port over at the end
import Glibc
import PortKit

@main struct PortTour {
  static func main() async {
    do {
      switch CommandLine.arguments.dropFirst().first {
      case nil: try OneProcess.tour()
      case "serve": try Service.serve()
      case "visit": try await Client.visit()
      default: fail("usage: PortTour [serve|visit]", status: 2)
      }
    } catch {
      fail("PortTour: \(error)", status: 1)
    }
  }

  static func fail(_ text: String, status: Int32) -> Never {
    _ = write(STDERR_FILENO, text + "\n", text.utf8.count + 1)
    exit(status)
  }
}

/// At once, also into a pipe or a file.
func say(_ text: String) {
  print(text)
  fflush(nil)
}
