package io.stele.protocol;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/**
 * The identity of a table in all protocols and files; a truncated or re-created table of the same
 * name has another id.
 *
 * <p>Invariant: {@code 0 < value}.
 */
public record TableId(@JsonValue long value) implements Comparable<TableId> {
    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public TableId {
        if (value <= 0) {
            throw new IllegalArgumentException("Expected a table id > 0, found " + value);
        }
    }

    @Override
    public int compareTo(TableId other) {
        return Long.compare(value, other.value);
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }
}
