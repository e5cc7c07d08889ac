package io.stele.sidecar.postgresql.catalog;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/**
 * The state of a catalog query's evaluation: the present row of each source, the slots, and the
 * frame of the query around it. Confined to one statement.
 */
final class Frame {
    private final @Nullable Frame outer;
    private final Object[][] tuple;
    private final Object[] slots;

    /**
     * @param tuple the row of each source
     * @param slots values of aggregates, window functions and set-returning functions
     */
    Frame(@Nullable Frame outer, Object[][] tuple, Object[] slots) {
        this.outer = outer;
        this.tuple = tuple;
        this.slots = slots;
    }

    static Frame root() {
        return new Frame(null, new Object[0][], new Object[0]);
    }

    /** The frame of the query that is {@code depth} levels outside. */
    Frame at(int depth) {
        Frame frame = this;
        for (int level = 0; level < depth; level++) {
            frame = requireNonNull(frame.outer, "no outer query");
        }
        return frame;
    }

    Object[][] tuple() {
        return tuple;
    }

    Object[] slots() {
        return slots;
    }
}
