/// Replies of the broker: a status, then what was asked for.
package enum BootstrapReply {
  package static func make(
    _ status: BootstrapStatus, _ write: (inout MessageWriter) -> Void = { _ in }
  ) -> Message {
    var writer = MessageWriter()
    writer.write(status.rawValue)
    if status == .ok { write(&writer) }
    return Message(id: BootstrapMessageID.reply.rawValue, writer)
  }

  package static func status(of reply: borrowing Message) throws(BootstrapError) -> BootstrapStatus {
    var reader = MessageReader(reply.body)
    return try status(&reader)
  }

  package static func read<Value>(
    _ reply: borrowing Message, _ body: (inout MessageReader) throws(MessageReaderError) -> Value
  ) throws(BootstrapError) -> Value {
    var reader = MessageReader(reply.body)
    let status = try status(&reader)
    guard status == .ok else { throw .protocolMismatch("status \(status)") }
    do { return try body(&reader) } catch { throw .protocolMismatch(error.description) }
  }

  private static func status(_ reader: inout MessageReader) throws(BootstrapError) -> BootstrapStatus {
    do {
      let number: UInt32 = try reader.read()
      guard let status = BootstrapStatus(rawValue: number) else { throw BootstrapError.protocolMismatch("status \(number)") }
      return status
    } catch let error as MessageReaderError {
      throw .protocolMismatch(error.description)
    } catch let error as BootstrapError {
      throw error
    } catch {
      throw .protocolMismatch("\(error)")
    }
  }
}
