public import HIDKit

/// One finger from its down to its end. The window and the view stay those that were hit at the down. A touch that hit
/// no view, or whose view is gone, is told to nobody.
public final class Touch {
  public enum Phase: String, Hashable, Sendable {
    case began, moved, ended, cancelled
  }

  public let window: Window
  public private(set) weak var view: View?
  public internal(set) var phase: Phase = .began
  /// In the window, in points.
  public internal(set) var location: HIDPoint
  /// The location of the event before.
  public internal(set) var previousLocation: HIDPoint
  /// CLOCK_MONOTONIC.
  public internal(set) var timestampNanoseconds: Int64

  init(in window: Window, _ view: View?, at location: HIDPoint, timestampNanoseconds: Int64) {
    self.window = window
    self.view = view
    self.location = location
    previousLocation = location
    self.timestampNanoseconds = timestampNanoseconds
  }

  /// In a view's coordinates; nil stands for the window.
  public func location(in view: View?) -> HIDPoint { view?.convert(fromWindow: location) ?? location }

  /// What its view was told of its life.
  private enum Told {
    case nothing, begin, end
  }

  private var told = Told.nothing

  /// Whether the view is to be told of this phase. A view that takes its window away in the middle of a frame must not
  /// hear of ends without begins, nor of anything after an end.
  func admit(_ phase: Phase) -> Bool {
    switch (told, phase) {
    case (.nothing, .began):
      told = .begin
      return true
    case (.begin, .moved): return true
    case (.begin, .ended), (.begin, .cancelled):
      told = .end
      return true
    case (.nothing, .ended), (.nothing, .cancelled):
      told = .end
      return false
    case (.nothing, .moved), (.begin, .began), (.end, _): return false
    }
  }

  func move(to point: HIDPoint, _ phase: Phase, at timestampNanoseconds: Int64) {
    previousLocation = location
    location = point
    self.phase = phase
    self.timestampNanoseconds = timestampNanoseconds
  }
}
