package io.stele.protocol.flight;

/** The empty request of Flight's ListActions. */
public record Empty() {
    public static final Empty EMPTY = new Empty();
}
