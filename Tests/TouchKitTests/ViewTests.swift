import HIDKit
import Testing

@testable import TouchKit

@Suite struct ViewTests {
  private let root = View(frame: HIDRect(x: 300, y: 200, width: 100, height: 100))

  private func child(_ x: Double, _ y: Double, _ width: Double, _ height: Double, in parent: View? = nil) -> View {
    let view = View(frame: HIDRect(x: x, y: y, width: width, height: height))
    (parent ?? root).addSubview(view)
    return view
  }

  private func hit(_ x: Double, _ y: Double) -> View? { root.hitTest(HIDPoint(x: x, y: y)) }

  @Test func boundsAreHalfOpen() {
    let left = child(0, 0, 50, 100)
    let right = child(50, 0, 50, 100)
    #expect(hit(0, 0) === left)
    #expect(hit(49.999, 99.999) === left)
    #expect(hit(50, 0) === right)
    #expect(hit(99.999, 0) === right)
    for (x, y) in [(100.0, 0.0), (0, 100), (-0.001, 0), (0, -0.001)] { #expect(hit(x, y) == nil) }
  }

  @Test func laterChildrenAreInFront() {
    let back = child(0, 0, 60, 60)
    let front = child(40, 40, 60, 60)
    #expect(hit(50, 50) === front)
    #expect(hit(39, 39) === back)
    #expect(hit(99, 0) === root)
    root.addSubview(back)
    #expect(hit(50, 50) === back)
    #expect(root.subviews.count == 2)
  }

  @Test func theDeepestViewIsHit() {
    let middle = child(10, 10, 50, 50)
    let inner = child(10, 10, 10, 10, in: middle)
    #expect(hit(20, 20) === inner)
    #expect(hit(29.999, 29.999) === inner)
    #expect(hit(30, 30) === middle)
    #expect(hit(19.999, 20) === middle)
  }

  @Test func childrenGetNothingOutsideTheirParent() {
    let middle = child(10, 10, 20, 20)
    let overhanging = child(10, 10, 50, 50, in: middle)
    #expect(hit(29, 29) === overhanging)
    #expect(hit(30, 30) === root)
  }

  @Test func viewsThatTakeNoTouchesHideWhatIsInThem() {
    let back = child(0, 0, 100, 100)
    let front = child(0, 0, 100, 100)
    let inner = child(0, 0, 50, 50, in: front)
    let switches: [(View) -> Void] = [
      { $0.isHidden = true }, { $0.isUserInteractionEnabled = false }, { $0.alpha = 0 }, { $0.alpha = 0.009 },
    ]
    for switchOff in switches {
      (front.isHidden, front.isUserInteractionEnabled, front.alpha) = (false, true, 1)
      #expect(hit(10, 10) === inner)
      switchOff(front)
      #expect(hit(10, 10) === back)
      #expect(hit(60, 60) === back)
    }
    front.alpha = 0.01
    #expect(hit(10, 10) === inner)
    root.isHidden = true
    #expect(hit(10, 10) == nil)
  }

  @Test func aViewHasOneParent() {
    let first = child(0, 0, 50, 50)
    let second = child(50, 50, 50, 50)
    let inner = child(0, 0, 10, 10, in: first)
    second.addSubview(inner)
    #expect(first.subviews.isEmpty)
    #expect(inner.superview === second)
    #expect(hit(55, 55) === inner)
    inner.removeFromSuperview()
    inner.removeFromSuperview()
    #expect(inner.superview == nil)
    #expect(hit(55, 55) === second)
  }

  /// A rule of one's own replaces the library's.
  @Test func hitTestingCanBeOverridden() {
    final class Hole: View {
      override func contains(_ point: HIDPoint) -> Bool { false }
    }
    root.addSubview(Hole(frame: HIDRect(x: 0, y: 0, width: 100, height: 100)))
    #expect(hit(10, 10) === root)
  }
}
