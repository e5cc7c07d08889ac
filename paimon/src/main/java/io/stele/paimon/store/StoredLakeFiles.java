package io.stele.paimon.store;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.ObjectReader;
import java.io.IOException;
import org.apache.paimon.fs.Path;

/**
 * The read access to a lake's files through its stores, with data files through the data page
 * cache. Thread-safe.
 */
final class StoredLakeFiles implements LakeFiles {
    private final LakeStores stores;

    StoredLakeFiles(LakeStores stores) {
        this.stores = requireNonNull(stores, "stores is null");
    }

    @Override
    public ObjectReader open(String location, long sizeBytes) throws IOException {
        LakeStores.Located file = stores.locate(new Path(location));
        return file.store().objects().open(file.path(), sizeBytes);
    }

    @Override
    public byte[] readFully(String location) throws IOException {
        LakeStores.Located file = stores.locate(new Path(location));
        return file.store().objects().readFully(file.path());
    }
}
