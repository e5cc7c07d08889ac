package io.stele.sidecar.postgresql.catalog;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/**
 * The present rows of a query's sources, and of the queries around it. Confined to one statement.
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

    /** The frame of the query so many levels outside. */
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
