package io.stele.paimon.config;

import static io.airlift.units.DataSize.Unit.MEGABYTE;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import io.airlift.configuration.Config;
import io.airlift.configuration.ConfigDescription;
import io.airlift.configuration.ConfigSecuritySensitive;
import io.airlift.units.DataSize;
import io.airlift.units.Duration;
import io.airlift.units.MaxDataSize;
import io.airlift.units.MaxDuration;
import io.airlift.units.MinDataSize;
import io.airlift.units.MinDuration;
import jakarta.validation.constraints.AssertTrue;
import jakarta.validation.constraints.NotNull;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one catalog from its properties file: the lake's place and metastore, staleness
 * and caches of its metadata, and how scans and writes work.
 *
 * <p>Not final: airlift subclasses it to test its defaults.
 */
public class PaimonConfig {
    // These limits hold for the session properties, too
    static final String MAX_WAIT = "1h";
    static final String MIN_SPLIT_SIZE = "1MB";
    static final String MAX_SPLIT_SIZE = "1GB";

    private @Nullable String warehouse;
    private Metastore metastore = Metastore.FILESYSTEM;
    private Optional<String> metastoreUri = Optional.empty();
    private Optional<String> metastoreUser = Optional.empty();
    private Optional<String> metastorePassword = Optional.empty();
    private Optional<String> metastoreToken = Optional.empty();
    private Optional<String> metastoreCatalogKey = Optional.empty();
    private Duration snapshotMaxStaleness = new Duration(200, MILLISECONDS);
    private Duration snapshotCheckInterval = new Duration(200, MILLISECONDS);
    private DataSize metadataCacheSize = DataSize.of(256, MEGABYTE);
    private DataSize fileMetadataCacheSize = DataSize.of(64, MEGABYTE);
    // 64 MiB: about half a row group of Parquet, so that a file of a compaction fills a few drivers
    private DataSize maxSplitSize = DataSize.of(64, MEGABYTE);
    private Duration dynamicFilterWaitTimeout = new Duration(1, SECONDS);
    private boolean writesEnabled = true;
    // 64 MiB: a node has some dozens of writers at a time
    private DataSize writeBufferSize = DataSize.of(64, MEGABYTE);

    @NotNull
    public @Nullable String getWarehouse() {
        return warehouse;
    }

    @Config("stele.paimon.warehouse")
    @ConfigDescription(
            "The lake: a folder, s3://bucket/prefix or hdfs://host:port/path; with a REST server,"
                    + " the name that it has there")
    public PaimonConfig setWarehouse(String warehouse) {
        this.warehouse = warehouse;
        return this;
    }

    @NotNull
    public Metastore getMetastore() {
        return metastore;
    }

    @Config("stele.paimon.metastore")
    @ConfigDescription(
            "Who knows the tables: filesystem (the folders of the lake), rest or jdbc; the drivers of"
                    + " databases other than PostgreSQL belong into the folder of the plugin")
    public PaimonConfig setMetastore(Metastore metastore) {
        this.metastore = metastore;
        return this;
    }

    @AssertTrue(
            message =
                    "stele.paimon.metastore must be filesystem, rest or jdbc: the client of hive is"
                            + " not in this plugin")
    public boolean isMetastoreSupported() {
        return metastore != Metastore.HIVE;
    }

    public Optional<String> getMetastoreUri() {
        return metastoreUri;
    }

    @Config("stele.paimon.metastore.uri")
    @ConfigDescription("http://host:port of the REST server, or jdbc:... of the database")
    public PaimonConfig setMetastoreUri(@Nullable String metastoreUri) {
        this.metastoreUri = Optional.ofNullable(metastoreUri);
        return this;
    }

    @AssertTrue(
            message =
                    "stele.paimon.metastore.uri must be http://... or https://... for rest,"
                            + " jdbc:... for jdbc, and unset for filesystem")
    public boolean isMetastoreUriValid() {
        return switch (metastore) {
            case FILESYSTEM -> metastoreUri.isEmpty();
            case REST -> metastoreUri.filter(uri -> uri.matches("https?://.+")).isPresent();
            case JDBC -> metastoreUri.filter(uri -> uri.startsWith("jdbc:")).isPresent();
            case HIVE -> true; // refused by name
        };
    }

    /** Failures to connect name the URI. */
    @AssertTrue(
            message =
                    "stele.paimon.metastore.uri must have no user and password: they are"
                            + " stele.paimon.metastore.user and stele.paimon.metastore.password")
    public boolean isMetastoreUriPublic() {
        return metastoreUri
                .filter(
                        uri ->
                                uri.matches("(?is).*[?&;](user|password)=.*")
                                        || uri.matches("(?is)[^/]*//[^/]*@.*"))
                .isEmpty();
    }

    public Optional<String> getMetastoreUser() {
        return metastoreUser;
    }

    @Config("stele.paimon.metastore.user")
    @ConfigDescription(
            "User of the database; with filesystem, that of a lake with Paimon's privileges")
    public PaimonConfig setMetastoreUser(@Nullable String metastoreUser) {
        this.metastoreUser = Optional.ofNullable(metastoreUser);
        return this;
    }

    public Optional<String> getMetastorePassword() {
        return metastorePassword;
    }

    @Config("stele.paimon.metastore.password")
    @ConfigSecuritySensitive
    @ConfigDescription("Password of the user")
    public PaimonConfig setMetastorePassword(@Nullable String metastorePassword) {
        this.metastorePassword = Optional.ofNullable(metastorePassword);
        return this;
    }

    public Optional<String> getMetastoreToken() {
        return metastoreToken;
    }

    @Config("stele.paimon.metastore.token")
    @ConfigSecuritySensitive
    @ConfigDescription("Bearer token for the REST server")
    public PaimonConfig setMetastoreToken(@Nullable String metastoreToken) {
        this.metastoreToken = Optional.ofNullable(metastoreToken);
        return this;
    }

    @AssertTrue(message = "stele.paimon.metastore.token must be set for rest, and for it alone")
    public boolean isMetastoreTokenValid() {
        return metastoreToken.isPresent() == (metastore == Metastore.REST);
    }

    public Optional<String> getMetastoreCatalogKey() {
        return metastoreCatalogKey;
    }

    @Config("stele.paimon.metastore.catalog-key")
    @ConfigDescription("Which of the catalogs in the database; default: Paimon's own, jdbc")
    public PaimonConfig setMetastoreCatalogKey(@Nullable String metastoreCatalogKey) {
        this.metastoreCatalogKey = Optional.ofNullable(metastoreCatalogKey);
        return this;
    }

    @NotNull
    @MinDuration("0s")
    @MaxDuration(MAX_WAIT)
    public Duration getSnapshotMaxStaleness() {
        return snapshotMaxStaleness;
    }

    @Config("stele.paimon.snapshot.max-staleness")
    @ConfigDescription(
            "The oldest state of a table that a query may see; 0s: asks the lake at every query")
    public PaimonConfig setSnapshotMaxStaleness(Duration snapshotMaxStaleness) {
        this.snapshotMaxStaleness = snapshotMaxStaleness;
        return this;
    }

    @NotNull
    @MinDuration("10ms")
    @MaxDuration("1h")
    public Duration getSnapshotCheckInterval() {
        return snapshotCheckInterval;
    }

    @Config("stele.paimon.snapshot.check-interval")
    @ConfigDescription(
            "The longest time between two checks of a table in use for new snapshots; they are as"
                    + " frequent as snapshot.max-staleness needs")
    public PaimonConfig setSnapshotCheckInterval(Duration snapshotCheckInterval) {
        this.snapshotCheckInterval = snapshotCheckInterval;
        return this;
    }

    @NotNull
    public DataSize getMetadataCacheSize() {
        return metadataCacheSize;
    }

    @Config("stele.paimon.metadata-cache.size")
    @ConfigDescription("Heap for the manifests of tables")
    public PaimonConfig setMetadataCacheSize(DataSize metadataCacheSize) {
        this.metadataCacheSize = metadataCacheSize;
        return this;
    }

    @NotNull
    public DataSize getFileMetadataCacheSize() {
        return fileMetadataCacheSize;
    }

    @Config("stele.paimon.file-metadata-cache.size")
    @ConfigDescription("Heap for the footers and indexes of data files")
    public PaimonConfig setFileMetadataCacheSize(DataSize fileMetadataCacheSize) {
        this.fileMetadataCacheSize = fileMetadataCacheSize;
        return this;
    }

    @NotNull
    @MinDataSize(MIN_SPLIT_SIZE)
    @MaxDataSize(MAX_SPLIT_SIZE)
    public DataSize getMaxSplitSize() {
        return maxSplitSize;
    }

    @Config("stele.paimon.max-split-size")
    @ConfigDescription(
            "Larger data files are read in parts of this size, each by a thread of its own")
    public PaimonConfig setMaxSplitSize(DataSize maxSplitSize) {
        this.maxSplitSize = maxSplitSize;
        return this;
    }

    @NotNull
    @MinDuration("0s")
    @MaxDuration(MAX_WAIT)
    public Duration getDynamicFilterWaitTimeout() {
        return dynamicFilterWaitTimeout;
    }

    @Config("stele.paimon.dynamic-filter.wait-timeout")
    @ConfigDescription("How long the planning of a scan waits for the other side of a join")
    public PaimonConfig setDynamicFilterWaitTimeout(Duration dynamicFilterWaitTimeout) {
        this.dynamicFilterWaitTimeout = dynamicFilterWaitTimeout;
        return this;
    }

    public boolean isWritesEnabled() {
        return writesEnabled;
    }

    @Config("stele.paimon.writes-enabled")
    @ConfigDescription("Whether statements may change the lake; false: it is only read")
    public PaimonConfig setWritesEnabled(boolean writesEnabled) {
        this.writesEnabled = writesEnabled;
        return this;
    }

    @NotNull
    @MinDataSize("1MB")
    @MaxDataSize("4GB")
    public DataSize getWriteBufferSize() {
        return writeBufferSize;
    }

    @Config("stele.paimon.write-buffer-size")
    @ConfigDescription(
            "Heap in which a writer sorts rows, unless write-buffer-size of the table is less; more"
                    + " rows are sorted on disk or make another file")
    public PaimonConfig setWriteBufferSize(DataSize writeBufferSize) {
        this.writeBufferSize = writeBufferSize;
        return this;
    }

    /** Whether the newest schema file of a table is its schema. */
    public boolean isFileSystemMetastore() {
        return metastore == Metastore.FILESYSTEM;
    }
}
