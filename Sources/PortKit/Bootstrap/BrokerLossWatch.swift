/// Waits for the word of one connection's loss. Keeps that connection: a request of another thread, or of a callout,
/// that finds the loss first lets go of it, and a right that is destroyed gives no notice any more.
package struct BrokerLossWatch: Sendable {
  package let request: DeadNameRequest
  private let connection: BrokerConnection

  init(_ request: DeadNameRequest, of connection: BrokerConnection) {
    self.request = request
    self.connection = connection
  }
}
