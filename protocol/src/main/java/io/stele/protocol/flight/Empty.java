package io.stele.protocol.flight;

/** The request of ListActions. */
public record Empty() {
    public static final Empty EMPTY = new Empty();
}
