package io.stele.connector.sidecar;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.stele.connector.config.SteleConfig;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectReader;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.ObjectWriter;
import io.stele.objectstore.encryption.Encryption;
import io.stele.objectstore.encryption.EncryptionConfig;
import io.stele.objectstore.hadoop.HadoopConfig;
import io.stele.objectstore.retrieval.ReadingAhead;
import io.stele.objectstore.retrieval.RetrievalConfig;
import io.stele.objectstore.retrieval.RetrievalStatistics;
import io.stele.objectstore.retrieval.RetrievalThreads;
import io.stele.objectstore.s3.S3Config;
import io.stele.objectstore.warehouse.WarehouseAccess;
import io.stele.objectstore.warehouse.WarehouseLocation;
import io.trino.spi.TrinoException;
import jakarta.annotation.PreDestroy;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The object store of the warehouse on this node, with encryption and the data page cache, opened
 * when the first file is read or written. Its location is configured, or else requested from the
 * sidecar. Thread-safe.
 */
public final class Warehouse implements ObjectStore {
    private static final Logger logger = Logger.get(Warehouse.class);

    private static final RetrievalThreads RETRIEVAL_THREADS =
            new RetrievalThreads(
                    Thread.ofPlatform().daemon().name("stele-retrieval-", 0).factory(),
                    Thread.ofVirtual().name("stele-retrieval-task").factory(),
                    System::nanoTime,
                    InstantSource.system(),
                    failure -> logger.error(failure, "A task of retrieval failed"));

    private final SteleSidecar sidecar;
    private final Optional<String> configuredPath;
    private final WarehouseAccess access;
    private final EncryptionConfig encryptionConfig;
    private final WorkerDataCache dataCache;
    private final Object lock = new Object();
    private volatile @Nullable WarehouseLocation location; // set once, then never changed
    private @Nullable ObjectStore uncached; // guarded by the lock
    private volatile @Nullable ObjectStore store; // written under the lock

    @Inject
    public Warehouse(
            SteleSidecar sidecar,
            SteleConfig config,
            S3Config s3Config,
            HadoopConfig hadoopConfig,
            RetrievalConfig retrievalConfig,
            EncryptionConfig encryptionConfig,
            WorkerDataCache dataCache) {
        this.dataCache = requireNonNull(dataCache, "dataCache is null");
        this.encryptionConfig = requireNonNull(encryptionConfig, "encryptionConfig is null");
        this.sidecar = requireNonNull(sidecar, "sidecar is null");
        this.configuredPath = config.getWarehousePath();
        this.access =
                new WarehouseAccess(
                        s3Config,
                        hadoopConfig,
                        retrievalConfig,
                        new SecureRandom(),
                        Warehouse::pause,
                        RETRIEVAL_THREADS);
    }

    /** Through the data page cache, where there is one. */
    @Override
    public ObjectReader open(String path, long sizeBytes) throws IOException {
        return store().open(path, sizeBytes);
    }

    /** The warehouse, if this node has read or written anything of it; never waits. */
    public Optional<ObjectStore> findOpen() {
        return Optional.ofNullable(store);
    }

    /**
     * The location of the warehouse, which may not be opened yet. It is requested from the sidecar
     * at most once, and only if it is not configured.
     *
     * @throws TrinoException if the sidecar does not answer, or names no warehouse
     */
    public WarehouseLocation location() {
        WarehouseLocation found = location;
        if (found == null) {
            found = WarehouseLocation.parse(configuredPath.orElseGet(sidecar::warehousePath));
            location = found;
        }
        return found;
    }

    /** The store through which a scan reads files. */
    public ObjectStore reading(CacheUse use) throws IOException {
        ObjectStore found = store();
        return switch (use) {
            case FILL -> found;
            case SECOND_ACCESS -> found.admittingOnSecondAccess();
            case OFF -> {
                synchronized (lock) {
                    yield requireNonNull(uncached, "uncached is null");
                }
            }
        };
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
    public void forEach(String prefix, Consumer<ObjectEntry> action) throws IOException {
        store().forEach(prefix, action);
    }

    @Override
    public List<String> folders(String folder) throws IOException {
        return store().folders(folder);
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

    @Override
    public boolean isRemote() {
        ObjectStore found = store;
        return found != null && found.isRemote();
    }

    @Override
    public Optional<ReadingAhead> readingAhead() {
        ObjectStore found = store;
        return found == null ? Optional.empty() : found.readingAhead();
    }

    @Override
    public Optional<RetrievalStatistics> retrieval() {
        ObjectStore found = store;
        return found == null ? Optional.empty() : found.retrieval();
    }

    @Override
    @PreDestroy
    public void close() throws IOException {
        ObjectStore found = store;
        if (found != null) {
            found.close();
        }
    }

    private ObjectStore store() throws IOException {
        ObjectStore found = store;
        return found == null ? open(location()) : found;
    }

    private ObjectStore open(WarehouseLocation location) throws IOException {
        synchronized (lock) {
            ObjectStore found = store;
            if (found == null) {
                Encryption encryption = Encryption.of(encryptionConfig, access.random());
                sidecar.checkMasterKeys(encryption.fingerprints());
                ObjectStore opened = location.open(access);
                uncached = encryption.over(opened);
                // Above the cache, whose pages are encrypted like the store's objects
                found = encryption.over(dataCache.over(opened));
                store = found;
            }
            return found;
        }
    }

    private static void pause(long millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }
}
