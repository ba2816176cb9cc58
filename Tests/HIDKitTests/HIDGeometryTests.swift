import HIDKit
import Testing

@Suite struct HIDGeometryTests {
  @Test func boundsAreHalfOpen() {
    let rect = HIDRect(x: 10, y: 20, width: 30, height: 40)
    #expect(rect.contains(HIDPoint(x: 10, y: 20)))
    #expect(rect.contains(HIDPoint(x: 39.999, y: 59.999)))
    #expect(!rect.contains(HIDPoint(x: 40, y: 20)))
    #expect(!rect.contains(HIDPoint(x: 10, y: 60)))
    #expect(!rect.contains(HIDPoint(x: 9.999, y: 20)))
    #expect(!rect.contains(HIDPoint(x: .nan, y: 20)))
  }

  @Test func neighboursShareNoPoint() {
    let left = HIDRect(x: 0, y: 0, width: 0.1 + 0.2, height: 1)
    let right = HIDRect(x: 0.1 + 0.2, y: 0, width: 1, height: 1)
    for x in [0.29, 0.3, 0.1 + 0.2, 0.31] {
      let point = HIDPoint(x: x, y: 0)
      #expect(left.contains(point) != right.contains(point))
    }
  }
}
