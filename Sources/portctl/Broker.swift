import PortKit
import ServiceKit

/// The connection that every command of the tool begins with.
enum Broker {
  static func connect(_ arguments: ParsedArguments) throws(BootstrapError) -> Bootstrap {
    try .connect(to: arguments.text("socket").map(BrokerAddress.init(path:)))
  }
}
