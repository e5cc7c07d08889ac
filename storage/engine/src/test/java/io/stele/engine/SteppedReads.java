package io.stele.engine;

import io.stele.engine.read.LookedUpRows;
import io.stele.engine.read.PointLookup;
import io.stele.engine.scan.RowCursor;
import io.stele.engine.scan.RowCursor.Step;
import io.stele.objectstore.NonBlocking;
import io.stele.objectstore.WouldBlockException;
import java.io.IOException;

/**
 * Reads as execution contexts do: step by step without waiting for the store, and only the steps
 * that have to wait where that is allowed.
 */
final class SteppedReads {
    private SteppedReads() {}

    /** Opens a cursor or does another read, at the second attempt with waiting. */
    static <T> T read(NonBlocking.Read<T> read) throws IOException {
        try {
            return NonBlocking.read(read);
        } catch (WouldBlockException mustWait) {
            return read.read();
        }
    }

    /** As {@link RowCursor#next}. */
    static boolean next(RowCursor cursor) throws IOException {
        Step step = Step.NONE;
        while (step == Step.NONE) {
            step = read(cursor::step);
        }
        return step == Step.ROW;
    }

    /** Looks all keys up, one at a time. */
    static LookedUpRows rows(PointLookup lookup) throws IOException {
        boolean done = false;
        while (!done) {
            done = read(() -> lookup.advance(1));
        }
        return lookup.rows();
    }
}
