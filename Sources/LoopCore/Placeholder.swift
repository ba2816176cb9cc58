enum LoopCorePlaceholder {}
