enum TouchKitPlaceholder {}
