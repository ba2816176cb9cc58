/// What a keeper knows of one port. Pure: the descriptors lie elsewhere, under the numbers of their wires.
struct KeptState {
  /// How much of a packet was delivered.
  struct Progress: Equatable, Sendable {
    var stamp: Int64
    var frames: Int
  }

  /// A port made of this: wires by place, with the numbers under which their descriptors lie.
  struct Legacy {
    var image: PortImage
    var numbers: [UInt32]
    /// By place.
    var skips: [Int: Progress]
    /// The place of the wire whose adopt frame may come once more.
    var mayComeAgain: Int?
  }

  private var settings = PortImage()
  private var wires: [UInt32: PortImage.Wire] = [:]
  private var staged: [PortImage.Staged] = []
  private var progress: [UInt32: Progress] = [:]
  private var lastAdded: UInt32?
  private(set) var hasImage = false
  /// The owner left in order.
  private(set) var isLast = false

  var count: Int { wires.count }

  /// The whole port anew.
  mutating func replace(by image: PortImage, isLast: Bool) {
    settings = image
    settings.wires = []
    settings.staged = []
    settings.hasKeeper = false
    wires = [:]
    for (place, wire) in image.wires.enumerated() { wires[UInt32(place)] = wire }
    staged = image.staged
    progress = [:]
    lastAdded = nil
    hasImage = true
    self.isLast = isLast
  }

  /// False for news that no honest owner sends.
  mutating func apply(_ news: KeepNews) -> Bool {
    guard hasImage else { return false }
    switch news {
    case .image: return false
    case .added(let number, let wire):
      guard wires.count < Limits.keptWires, wires.updateValue(wire, forKey: number) == nil else { return false }
      lastAdded = number
    case .removed(let number, let isNotice):
      guard wires.removeValue(forKey: number) != nil else { return false }
      progress[number] = nil
      staged.removeAll { $0.wire == Int(number) }
      if isNotice { settings.sendOnceNotices += 1 }
    case .progress(let number, let progress):
      guard wires[number] != nil else { return false }
      self.progress[number] = progress
    case .settings(let settings): self.settings = settings
    }
    return settings.sendOnceNotices <= Limits.movedNotices
  }

  /// What is left of the port when its owner is gone.
  ///
  /// Holders get credit for a few copies anew: what the owner had taken in and not given back yet is unknown. A wire
  /// whose payer is gone pays with the first of those who are left.
  func legacy() -> Legacy {
    let numbers = wires.keys.sorted()
    let places = Dictionary(uniqueKeysWithValues: numbers.enumerated().map { ($0.element, $0.offset) })
    var image = settings
    // The owner may have told its holders of a limit that the keeper never heard of.
    image.highestLimit = Limits.largestQueueLimit
    var payers: [Int: Int] = [:]
    for (place, number) in numbers.enumerated() {
      guard var wire = wires[number] else { continue }
      let payer = places[UInt32(clamping: wire.payer)] ?? payers[wire.payer] ?? place
      payers[wire.payer] = payer
      wire.payer = payer
      wire.credit = CopyCredit()
      if let known = progress[number] { wire.lastStamp = max(wire.lastStamp, known.stamp) }
      image.wires.append(wire)
    }
    for var packet in staged {
      guard let place = places[UInt32(clamping: packet.wire)] else { continue }
      packet.wire = place
      image.staged.append(packet)
    }
    var skips: [Int: Progress] = [:]
    for (number, known) in progress { if let place = places[number] { skips[place] = known } }
    return Legacy(image: image, numbers: numbers, skips: skips, mayComeAgain: lastAdded.flatMap { places[$0] })
  }
}
