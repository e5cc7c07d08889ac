package io.stele.storage.shard;

import java.util.List;

/**
 * Takes the paths of files that no manifest names any more and that new readers do not find. Safe
 * for use by many threads.
 */
@FunctionalInterface
public interface ObsoleteFiles {
    /** These can be deleted once no reader is left that came before this call. */
    void add(List<String> paths);
}
