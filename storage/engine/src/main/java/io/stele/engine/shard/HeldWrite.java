package io.stele.engine.shard;

import io.stele.protocol.SteleException;

/** A write that waits at a {@link WriteGate}: it goes on, or is postponed and then refused. */
interface HeldWrite {
    /**
     * It may go on. Never waits: false if the log has no room, then nothing is done and it comes
     * again.
     */
    boolean tryRun();

    /**
     * It will be refused as BUSY, and nothing of it is done. Called under the gate's lock, before
     * anything that came later passes: notes it and does nothing else.
     */
    void postponed();

    /** Tells who waits for it; not under the gate's lock. */
    void refuse(SteleException busy);
}
