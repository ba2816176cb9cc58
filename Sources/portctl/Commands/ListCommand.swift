import HIDKit
import PortKit
import ServiceKit

/// `services` and `windows`: what the broker knows.
struct ListCommand {
  private let arguments: ParsedArguments
  private let console: Console

  init(_ arguments: ParsedArguments, _ console: Console) {
    self.arguments = arguments
    self.console = console
  }

  private struct ServiceLine: Encodable {
    let name: String
    let pid: Int32
    let uid: UInt32
  }

  func services() throws {
    let entries = try Broker.connect(arguments).listServices(timeout: arguments.duration("timeout"))
    try show(entries.map { ServiceLine(name: $0.name, pid: $0.processID, uid: $0.userID) }) { lines in
      var table = TextTable([.init("name"), .init("pid", .right), .init("uid", .right)])
      for line in lines { table.append([line.name, "\(line.pid)", "\(line.uid)"]) }
      return table.text
    }
  }

  private struct WindowLine: Encodable {
    let window: UInt32
    let client: UInt32
    let name: String
    let pid: Int32
    let x: Double
    let y: Double
    let width: Double
    let height: Double
    let zOrder: Int32
    let focused: Bool
    let title: String

    init(_ info: WindowInfo) {
      window = info.windowID.rawValue
      client = info.clientID.rawValue
      name = info.clientName
      pid = info.processID
      (x, y, width, height) = (info.frame.x, info.frame.y, info.frame.width, info.frame.height)
      zOrder = info.zOrder
      focused = info.isFocused
      title = info.title
    }
  }

  func windows() throws {
    let answer = try Broker.connect(arguments).perform(ListWindows(), timeout: arguments.duration("timeout"))
    try show(answer.windows.map(WindowLine.init)) { lines in
      var table = TextTable([
        .init("window", .right), .init("client"), .init("pid", .right), .init("frame"), .init("z", .right),
        .init("focus"), .init("title"),
      ])
      for line in lines {
        let frame = "\(line.width.short)x\(line.height.short)+\(line.x.short)+\(line.y.short)"
        table.append([
          "\(line.window)", line.name, "\(line.pid)", frame, "\(line.zOrder)", line.focused ? "*" : "", line.title,
        ])
      }
      return table.text
    }
  }

  /// One JSON object a line, or one table.
  private func show<Line: Encodable>(_ lines: [Line], table: ([Line]) -> String) throws {
    if arguments.isSet("json") {
      for line in lines { console.data(try JSONOutput.line(line)) }
    } else if !arguments.isSet("quiet") {
      console.data(table(lines))
    }
  }
}
