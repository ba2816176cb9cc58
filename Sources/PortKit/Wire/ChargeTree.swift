/// Who pays for the wires that copies of rights bring in: the wire that was made here, from which all of them descend.
///
/// Each adopted wire costs its owner a descriptor, and copying needs no consent. So every wire that descends from one
/// made here is charged to that one's account, and when the account is at its limit the wires that bring more are
/// stopped: they wait in line until a wire of the same account is gone. Others notice nothing. A wire to a name server
/// is an introducer: those whom it introduces have accounts of their own. Pure: knows keys only. Each operation is
/// O(1), but for a change of the limit.
struct ChargeTree {
  private struct Account {
    var charged = 0
    /// Stopped wires, the longest waiting at `first`. Places whose number is not the wire's are given up.
    var line: [(key: UInt64, number: UInt64)] = []
    var first = 0
    var stopped = 0
    var isIdle: Bool { charged == 0 && stopped == 0 }
  }

  /// Wires that one account may hold.
  private(set) var limit: Int
  /// Under the key of the wire that pays. Keys are never used twice, so an account may outlive it.
  private var accounts: [UInt64: Account] = [:]
  private var payers: [UInt64: UInt64] = [:]
  private var introducers: Set<UInt64> = []
  /// Stopped wires and the numbers of their places in line.
  private var stopped: [UInt64: UInt64] = [:]
  private var nextNumber: UInt64 = 0

  init(limit: Int) { self.limit = limit }

  var stoppedCount: Int { stopped.count }
  var chargedCount: Int { payers.count }

  mutating func addIntroducer(_ key: UInt64) { introducers.insert(key) }

  func introduces(_ key: UInt64) -> Bool { introducers.contains(key) }

  func hasRoom(under key: UInt64) -> Bool {
    introducers.contains(key) || charged(to: payer(of: key)) < limit
  }

  /// `child` came down the wire `key`.
  mutating func adopt(_ child: UInt64, under key: UInt64) {
    if introducers.contains(key) { return }
    let payer = payer(of: key)
    payers[child] = payer
    accounts[payer, default: Account()].charged += 1
  }

  /// The wire brings one more than its account may hold.
  mutating func stop(_ key: UInt64) {
    guard stopped[key] == nil else { return }
    nextNumber += 1
    stopped[key] = nextNumber
    let payer = payer(of: key)
    accounts[payer, default: Account()].line.append((key, nextNumber))
    accounts[payer]?.stopped += 1
  }

  /// The wire goes on for a reason of its own.
  mutating func leaveLine(_ key: UInt64) {
    guard stopped.removeValue(forKey: key) != nil else { return }
    let payer = payer(of: key)
    accounts[payer]?.stopped -= 1
    forgetIfIdle(payer)
  }

  /// The wire is gone. Returns the stopped wire that may go on in its place.
  mutating func remove(_ key: UInt64) -> UInt64? {
    leaveLine(key)
    introducers.remove(key)
    let payer = payer(of: key)
    if payers.removeValue(forKey: key) != nil { accounts[payer]?.charged -= 1 }
    forgetIfIdle(payer)
    return nextInLine(of: payer)
  }

  /// The stopped wire that may go on, when a place in the account of this wire was left unused.
  mutating func nextInLine(with key: UInt64) -> UInt64? { accounts.isEmpty ? nil : nextInLine(of: payer(of: key)) }

  /// Returns the wires that may go on. Nothing is taken from whoever is above a lower limit.
  mutating func setLimit(_ limit: Int) -> [UInt64] {
    self.limit = limit
    var going: [UInt64] = []
    for (payer, account) in accounts where account.stopped > 0 {
      var places = limit - account.charged
      while places > 0, let key = nextInLine(of: payer) {
        going.append(key)
        places -= 1
      }
    }
    return going
  }

  func charged(to payer: UInt64) -> Int { accounts[payer]?.charged ?? 0 }

  /// The wire whose account this one is charged to; its own key when it pays itself.
  func payer(of key: UInt64) -> UInt64 { payers.isEmpty ? key : payers[key] ?? key }

  private mutating func nextInLine(of payer: UInt64) -> UInt64? {
    guard var account = accounts.removeValue(forKey: payer) else { return nil }
    defer { if !account.isIdle { accounts[payer] = account } }
    guard account.charged < limit else { return nil }
    while account.first < account.line.count {
      let (key, number) = account.line[account.first]
      account.first += 1
      if account.first > 32, 2 * account.first > account.line.count {
        account.line.removeFirst(account.first)
        account.first = 0
      }
      guard stopped[key] == number else { continue }
      stopped[key] = nil
      account.stopped -= 1
      return key
    }
    return nil
  }

  private mutating func forgetIfIdle(_ payer: UInt64) {
    if accounts[payer]?.isIdle ?? false { accounts[payer] = nil }
  }
}
