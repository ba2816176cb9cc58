import Glibc

/// "nobody" on most systems.
private let ordinaryUser: UInt32 = 65534

/// Makes this process an ordinary user's. False when it is one already or may not become one. For exit tests.
///
/// - Parameter effectiveOnly: can be undone by ``becomeSuperUser()``.
@discardableResult
package func becomeOrdinaryUser(number: UInt32? = nil, effectiveOnly: Bool = false) -> Bool {
  let user = number ?? ordinaryUser
  if effectiveOnly { return seteuid(user) == 0 }
  return getuid() == 0 && setgid(ordinaryUser) == 0 && setuid(user) == 0
}

package func becomeSuperUser() -> Bool { seteuid(0) == 0 }
