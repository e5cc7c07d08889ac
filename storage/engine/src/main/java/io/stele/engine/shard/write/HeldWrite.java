package io.stele.engine.shard.write;

import io.stele.protocol.SteleException;

/** A write that waits at a {@link WriteGate}: it runs, or is postponed and then refused. */
public interface HeldWrite {
    /**
     * Runs the write, without waiting. False if the log has no room: then nothing is done, and it
     * is called again.
     */
    boolean tryRun();

    /**
     * Notes that the write will be refused as BUSY, and does nothing else. Called under the gate's
     * lock, before any later write passes.
     */
    void postponed();

    /** Fails the client's wait for it; not under the gate's lock. */
    void refuse(SteleException busy);
}
