enum HIDKitPlaceholder {}
