import LinuxSystem

extension RunLoop {
  /// The calling thread's loop, made on first access. Not for asynchronous code, which changes threads.
  ///
  /// Costs one descriptor, and one more per mode that sleeps. A process that has none left ends here with a message.
  @available(*, noasync)
  public static var current: RunLoop { ofThisThread() }

  /// The loop of the main thread.
  @MainActor
  public static var main: RunLoop {
    precondition(isMainThread(), "the main actor does not run on the main thread")
    return ofThisThread()
  }

  private static func ofThisThread() -> RunLoop {
    if let object = ThreadSlot.object {
      guard let keeper = object as? ThreadKeeper else { preconditionFailure("the thread slot is taken") }
      return keeper.loop
    }
    let keeper = ThreadKeeper()
    ThreadSlot.keep(keeper)
    return keeper.loop
  }
}

/// What the thread holds. Its end is the end of the loop, whoever else holds that.
private final class ThreadKeeper {
  let loop = RunLoop()

  deinit { loop.end() }
}
