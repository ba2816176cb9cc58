import LinuxSystem

extension RunLoop {
  /// The calling thread's loop, made on first access. Not for asynchronous code, which changes threads.
  ///
  /// Costs one descriptor, and one more per mode that sleeps. A process that has none left ends here with a message.
  @available(*, noasync)
  public static var current: RunLoop { ofThisThread() }

  /// The loop of the main thread, for programs whose `main` is synchronous and runs it.
  ///
  /// An asynchronous `main` on Linux ends the main thread at its first suspension (`dispatch_main`), and the main actor
  /// goes on elsewhere: there is no main loop then, and asking for it ends the process with a message.
  @MainActor
  public static var main: RunLoop {
    precondition(isMainThread(), "no main loop: the main actor left the main thread, as an async main makes it")
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
