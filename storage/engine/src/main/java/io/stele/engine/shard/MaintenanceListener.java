package io.stele.engine.shard;

/** A listener for failures of background work. Called on contexts of shards: it must not wait. */
public interface MaintenanceListener {
    /** It failed, for the first time or once more. */
    void failed(MaintenanceFailure failure);

    /**
     * The work succeeded, or is no longer needed.
     *
     * @param last the last reported failure
     */
    void recovered(MaintenanceFailure last);
}
