package io.stele.paimon.store;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.FolderStore;
import io.stele.objectstore.ObjectStore;

/**
 * One opened store of a lake's files by their paths below its root, without and with the data page
 * cache.
 *
 * @param folders the store itself
 * @param objects the same store with its data files read through the data page cache, where there
 *     is one; used for reads, writes and deletions of objects
 */
record LakeStore(FolderStore folders, ObjectStore objects) {
    LakeStore {
        requireNonNull(folders, "folders is null");
        requireNonNull(objects, "objects is null");
    }
}
