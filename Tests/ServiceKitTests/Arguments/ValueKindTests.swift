@testable import ServiceKit
import Testing

@Suite struct ValueKindTests {
  private func reads(_ word: String, _ kind: ValueKind) -> ArgumentValue? { try? kind.read(word) }

  @Test func durationsTakeUnits() {
    let kind = ValueKind.duration(.zero ... .seconds(3600))
    #expect(reads("2", kind) == .duration(.seconds(2)))
    #expect(reads("2s", kind) == .duration(.seconds(2)))
    #expect(reads("0.25", kind) == .duration(.milliseconds(250)))
    #expect(reads("300ms", kind) == .duration(.milliseconds(300)))
    #expect(reads("1.5ms", kind) == .duration(.microseconds(1500)))
    #expect(reads("20us", kind) == .duration(.microseconds(20)))
    #expect(reads("2min", kind) == .duration(.seconds(120)))
    #expect(reads("3600", kind) == .duration(.seconds(3600)))
  }

  @Test(arguments: ["", "s", "ms", "-1", "3601", "1 s", "1h", "inf", "nan", "0x10", "1e300", "2ss", "١"])
  func notADuration(_ word: String) {
    #expect(reads(word, .duration(.zero ... .seconds(3600))) == nil)
  }

  @Test func sizesHaveTwoSides() {
    #expect(reads("1024x768", .size(1...4096)) == .size(width: 1024, height: 768))
    #expect(reads("1x4096", .size(1...4096)) == .size(width: 1, height: 4096))
    for word in ["1024", "x", "1x", "0x5", "1x4097", "-1x5", "1x2x3", "1 x 2", "1X2"] {
      #expect(reads(word, .size(1...4096)) == nil, "\(word)")
    }
  }

  @Test func numbersAreDecimalAndFinite() {
    let every = ValueKind.number(ValueKind.everyNumber)
    #expect(reads("-3.5", every) == .number(-3.5))
    #expect(reads("1e3", every) == .number(1000))
    for word in ["inf", "nan", "0x1p3", "", "1,5", "--1", "1e999"] { #expect(reads(word, every) == nil, "\(word)") }
    #expect(reads("100", .number(0...100)) == .number(100))
    #expect(reads("100.1", .number(0...100)) == nil)
  }

  @Test func integersAreWhole() {
    #expect(reads("7", .integer(1...9)) == .integer(7))
    for word in ["0", "10", "7.0", "seven", "99999999999999999999"] { #expect(reads(word, .integer(1...9)) == nil) }
  }

  @Test func faultsSayTheRange() {
    #expect(throws: ValueFault(need: "needs a number of at least 1")) {
      try ValueKind.number(1...ValueKind.everyNumber.upperBound).read("0")
    }
    #expect(throws: ValueFault(need: "needs a number")) { try ValueKind.number(ValueKind.everyNumber).read("x") }
    #expect(throws: ValueFault(need: "needs a time from 1ms to 60s, such as 2s or 300ms")) {
      try ValueKind.duration(.milliseconds(1) ... .seconds(60)).read("x")
    }
    #expect(throws: ValueFault(need: "needs a size such as 1024x768, sides from 1 to 9")) {
      try ValueKind.size(1...9).read("x")
    }
    #expect(throws: ValueFault(need: "needs some text")) { try ValueKind.text.read("") }
  }
}
