package io.stele.engine.shard.maintenance;

import java.util.List;

/**
 * A receiver of the paths of obsolete files, for their later deletion: no manifest names them any
 * more, and new readers do not find them. Thread-safe.
 */
@FunctionalInterface
public interface ObsoleteFiles {
    /** Adds paths that can be deleted once no reader remains that began before this call. */
    void add(List<String> paths);
}
