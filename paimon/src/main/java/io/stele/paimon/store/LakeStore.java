package io.stele.paimon.store;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.FolderStore;
import io.stele.objectstore.ObjectStore;

/**
 * One store of a lake's files, by their paths below its root.
 *
 * @param folders the store itself
 * @param objects the same with its data files through the data page cache, where there is one;
 *     deletions and reads of objects go this way
 */
record LakeStore(FolderStore folders, ObjectStore objects) {
    LakeStore {
        requireNonNull(folders, "folders is null");
        requireNonNull(objects, "objects is null");
    }
}
