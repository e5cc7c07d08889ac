package io.stele.engine.shard;

/** Hears of work of the background that fails. Called on contexts of shards: it must not wait. */
public interface MaintenanceListener {
    /** It failed, for the first time or once more. */
    void failed(MaintenanceFailure failure);

    /**
     * It goes well again, or there is nothing left to do.
     *
     * @param last the failure told last
     */
    void recovered(MaintenanceFailure last);
}
