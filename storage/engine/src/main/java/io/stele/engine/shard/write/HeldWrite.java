package io.stele.engine.shard.write;

import io.stele.protocol.SteleException;

/** A write that waits at a {@link WriteGate}: it runs, or is postponed and then refused. */
public interface HeldWrite {
    /**
     * Runs it. It never waits: false if the log has no room; then nothing is done and it is called
     * again.
     */
    boolean tryRun();

    /**
     * It will be refused as BUSY, and nothing of it is done. Called under the gate's lock, before
     * anything that came later passes: notes it and does nothing else.
     */
    void postponed();

    /** Fails the client's wait for it; not under the gate's lock. */
    void refuse(SteleException busy);
}
