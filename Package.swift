// swift-tools-version:6.2
// Targets stand in layer order: each may use only what stands above it on its own line of descent.
// Tests/TidyTests holds the sources' imports against this graph.
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableExperimentalFeature("Lifetimes"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

func library(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func program(_ name: String, _ dependencies: [Target.Dependency], path: String? = nil) -> Target {
  .executableTarget(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

/// As in a package of somebody else: what the libraries ask of their users and no more.
func example(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: "Examples/\(name)", swiftSettings: [.swiftLanguageMode(.v6)])
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies + ["TestSupport"], swiftSettings: settings)
}

let package = Package(
  name: "PortKit",
  products: [
    .library(name: "PortKit", targets: ["PortKit"]),
    .library(name: "LoopCore", targets: ["LoopCore"]),
    .library(name: "HIDKit", targets: ["HIDKit"]),
    .library(name: "TouchKit", targets: ["TouchKit"]),
    .executable(name: "portd", targets: ["portd"]),
    .executable(name: "portctl", targets: ["portctl"]),
  ],
  targets: [
    // Layer 0: what Swift cannot import.
    .target(name: "CPortShims"),
    // Layer 1: typed kernel objects; all `unsafe` lives here.
    library("LinuxSystem", ["CPortShims"]),
    // Layer 2: rights and messages.
    library("PortKit", ["LinuxSystem"]),
    // Layer 3: when things run; what a command-line tool needs.
    library("LoopCore", ["PortKit", "LinuxSystem"]),
    library("ServiceKit", ["LinuxSystem"]),
    // Layer 4: the meaning of events.
    library("HIDKit", ["LoopCore", "PortKit", "LinuxSystem"]),
    library("TouchKit", ["HIDKit", "LoopCore", "PortKit", "LinuxSystem"]),
    // Layer 5: programs.
    program("portd", ["HIDKit", "LoopCore", "PortKit", "ServiceKit", "LinuxSystem"]),
    program("portctl", ["HIDKit", "PortKit", "ServiceKit", "LinuxSystem"]),
    example("EchoService", ["LoopCore", "PortKit"]),
    example("PortTour", ["PortKit"]),
    example("OneWindow", ["TouchKit", "HIDKit", "LoopCore", "PortKit"]),
    program("TouchPad", ["TouchKit", "HIDKit", "LoopCore", "PortKit", "ServiceKit"], path: "Examples/TouchPad"),
    program("Demo", ["ServiceKit", "LinuxSystem"], path: "Examples/Demo"),
    program("portbench", ["TouchKit", "HIDKit", "LoopCore", "PortKit", "LinuxSystem"], path: "Benchmarks/portbench"),
    // Tests: one target per module, and the other processes that they spawn.
    .target(
      name: "TestSupport", dependencies: ["LinuxSystem", "LoopCore", "PortKit", "CCostCount"],
      path: "Tests/TestSupport", swiftSettings: settings),
    .target(name: "CCostCount", path: "Tests/CCostCount"),
    program(
      "PortProbe", ["TouchKit", "HIDKit", "LoopCore", "PortKit", "LinuxSystem", "CCostCount", "TestSupport"],
      path: "Tests/PortProbe"),
    tests("LinuxSystemTests", ["LinuxSystem"]),
    tests("PortKitTests", ["PortKit", "LinuxSystem", "PortProbe"]),
    tests("LoopCoreTests", ["LoopCore", "PortKit", "LinuxSystem"]),
    tests("ServiceKitTests", ["ServiceKit", "LinuxSystem"]),
    tests("HIDKitTests", ["HIDKit", "PortKit"]),
    tests("TouchKitTests", ["TouchKit", "HIDKit", "LoopCore", "PortKit"]),
    tests("portdTests", ["portd", "HIDKit", "PortKit", "ServiceKit", "LinuxSystem"]),
    tests("portctlTests", ["portctl", "HIDKit", "ServiceKit"]),
    tests(
      "ScenarioTests",
      ["TouchKit", "HIDKit", "LoopCore", "PortKit", "LinuxSystem", "PortProbe", "portd", "portctl"]),
    tests("TidyTests", []),
  ]
)

// `make fuzz`: libFuzzer has the main function, and the body of the fuzzer is also that of a unit test.
if Context.environment["PORTKIT_FUZZ"] != nil {
  package.targets.removeAll { $0.isTest }
  package.targets.append(
    .executableTarget(
      name: "PortFuzz", dependencies: ["PortKit", "LinuxSystem"], path: "Tests/PortKitTests/Fuzz",
      swiftSettings: settings + [.define("FUZZ")]))
}
