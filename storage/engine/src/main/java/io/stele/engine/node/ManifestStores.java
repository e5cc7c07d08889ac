package io.stele.engine.node;

import static java.util.Objects.requireNonNull;

import io.stele.engine.manifest.ManifestStore;
import io.stele.engine.manifest.orc.OrcManifestBases;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.ShardId;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A registry of the manifest stores of a node's shards, created on first use. Each store remembers
 * the base of the last manifest that it loaded or created, so that work after recovery does not
 * write that base again. Thread-safe.
 */
public final class ManifestStores {
    private final ObjectStore store;
    private final UUID owner;
    private final int minChanges;
    private final Map<ShardId, ManifestStore> stores = new ConcurrentHashMap<>();

    public ManifestStores(ObjectStore store, UUID owner, int minChanges) {
        this.store = requireNonNull(store, "store is null");
        this.owner = requireNonNull(owner, "owner is null");
        this.minChanges = minChanges;
    }

    public ManifestStore of(ShardId shard) {
        return stores.computeIfAbsent(
                shard,
                id -> new ManifestStore(store, id, owner, OrcManifestBases.INSTANCE, minChanges));
    }
}
