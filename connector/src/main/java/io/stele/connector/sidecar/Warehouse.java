package io.stele.connector.sidecar;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.connector.SteleConfig;
import io.stele.storage.objectstore.LocalObjectStore;
import io.stele.storage.objectstore.ObjectEntry;
import io.stele.storage.objectstore.ObjectStore;
import io.stele.storage.objectstore.ObjectWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The warehouse as this node reaches it: at the configured path, else at the one that the sidecar
 * names when the first file is read or written. Thread-safe.
 */
public final class Warehouse implements ObjectStore {
    private final SteleSidecar sidecar;
    private final Optional<String> configuredPath;
    private volatile @Nullable ObjectStore store;

    @Inject
    public Warehouse(SteleSidecar sidecar, SteleConfig config) {
        this.sidecar = requireNonNull(sidecar, "sidecar is null");
        this.configuredPath = config.getWarehousePath();
    }

    @Override
    public void read(String path, long offset, byte[] buffer, int bufferOffset, int length)
            throws IOException {
        store().read(path, offset, buffer, bufferOffset, length);
    }

    @Override
    public byte[] readFully(String path) throws IOException {
        return store().readFully(path);
    }

    @Override
    public long size(String path) throws IOException {
        return store().size(path);
    }

    @Override
    public boolean createIfAbsent(String path, byte[] content) throws IOException {
        return store().createIfAbsent(path, content);
    }

    @Override
    public void put(String path, byte[] content) throws IOException {
        store().put(path, content);
    }

    @Override
    public ObjectWriter create(String path) throws IOException {
        return store().create(path);
    }

    @Override
    public List<ObjectEntry> list(String prefix) throws IOException {
        return store().list(prefix);
    }

    @Override
    public void delete(String path) throws IOException {
        store().delete(path);
    }

    @Override
    public String describe(String path) {
        ObjectStore found = store;
        return found == null ? path : found.describe(path);
    }

    private ObjectStore store() throws IOException {
        ObjectStore found = store;
        if (found == null) {
            // Two threads may make one each: both are good
            found = new LocalObjectStore(Path.of(configuredPath.orElseGet(sidecar::warehousePath)));
            store = found;
        }
        return found;
    }
}
