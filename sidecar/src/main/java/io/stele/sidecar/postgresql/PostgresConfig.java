package io.stele.sidecar.postgresql;

import io.airlift.configuration.Config;
import io.airlift.configuration.ConfigDescription;
import io.airlift.configuration.ConfigSecuritySensitive;
import io.airlift.configuration.validation.FileExists;
import io.airlift.units.DataSize;
import io.airlift.units.Duration;
import io.airlift.units.MaxDataSize;
import io.airlift.units.MinDataSize;
import io.airlift.units.MinDuration;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotEmpty;
import java.io.File;
import java.net.URI;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Settings of the server of PostgreSQL's protocol. */
public class PostgresConfig {
    private Optional<Integer> port = Optional.empty();
    private int maxConnections = 1024;
    private DataSize maxMessageSize = DataSize.of(64, DataSize.Unit.MEGABYTE);
    private DataSize maxPendingSize = DataSize.of(128, DataSize.Unit.MEGABYTE);
    private String database = "stele";
    private int maxTrackedStatements = 1000;
    private Duration slowStatementThreshold = new Duration(1, TimeUnit.SECONDS);
    private Optional<File> usersFile = Optional.empty();
    private Optional<URI> trinoUri = Optional.empty();
    private String trinoCatalog = "stele";
    private Optional<String> trinoUser = Optional.empty();
    private Optional<String> trinoPassword = Optional.empty();

    public Optional<@Min(0) @Max(65535) Integer> getPort() {
        return port;
    }

    @Config("stele.postgresql.port")
    @ConfigDescription(
            "TCP port of PostgreSQL's wire protocol; 0 takes a free port; not set: the protocol is"
                    + " not served")
    public PostgresConfig setPort(Integer port) {
        this.port = Optional.ofNullable(port);
        return this;
    }

    @Min(1)
    @Max(100_000)
    public int getMaxConnections() {
        return maxConnections;
    }

    @Config("stele.postgresql.max-connections")
    @ConfigDescription("Clients of PostgreSQL's protocol at the same time; more are refused")
    public PostgresConfig setMaxConnections(int maxConnections) {
        this.maxConnections = maxConnections;
        return this;
    }

    // A row of 16 MiB as text is twice as long
    @MinDataSize("1MB")
    @MaxDataSize("1GB")
    public DataSize getMaxMessageSize() {
        return maxMessageSize;
    }

    @Config("stele.postgresql.max-message-size")
    @ConfigDescription("Greatest message of a client of PostgreSQL's protocol")
    public PostgresConfig setMaxMessageSize(DataSize maxMessageSize) {
        this.maxMessageSize = maxMessageSize;
        return this;
    }

    @MinDataSize("1MB")
    @MaxDataSize("64GB")
    public DataSize getMaxPendingSize() {
        return maxPendingSize;
    }

    @Config("stele.postgresql.max-pending-size")
    @ConfigDescription(
            "Bytes of large messages of PostgreSQL's protocol, over all connections, before no more"
                    + " are read")
    public PostgresConfig setMaxPendingSize(DataSize maxPendingSize) {
        this.maxPendingSize = maxPendingSize;
        return this;
    }

    public String getDatabase() {
        return database;
    }

    @Config("stele.postgresql.database")
    @ConfigDescription("Name of the database that PostgreSQL's clients see; they may ask for any")
    public PostgresConfig setDatabase(String database) {
        this.database = database;
        return this;
    }

    @Min(0)
    @Max(100_000)
    public int getMaxTrackedStatements() {
        return maxTrackedStatements;
    }

    @Config("stele.sql.max-tracked-statements")
    @ConfigDescription(
            "SQL statements, of each user and without their constants, whose statistics are"
                    + " remembered; 0: none")
    public PostgresConfig setMaxTrackedStatements(int maxTrackedStatements) {
        this.maxTrackedStatements = maxTrackedStatements;
        return this;
    }

    @MinDuration("0ms")
    public Duration getSlowStatementThreshold() {
        return slowStatementThreshold;
    }

    @Config("stele.sql.slow-statement-threshold")
    @ConfigDescription(
            "Statements with a fixed plan and lookups by key that take at least this long are"
                    + " logged, without their constants")
    public PostgresConfig setSlowStatementThreshold(Duration slowStatementThreshold) {
        this.slowStatementThreshold = slowStatementThreshold;
        return this;
    }

    public Optional<@FileExists File> getUsersFile() {
        return usersFile;
    }

    @Config("stele.postgresql.users-file")
    @ConfigDescription(
            "Users of PostgreSQL's protocol, with SCRAM-SHA-256 verifiers as in pg_authid; not set:"
                    + " any name with the shared secret as password")
    public PostgresConfig setUsersFile(File usersFile) {
        this.usersFile = Optional.ofNullable(usersFile);
        return this;
    }

    public Optional<URI> getTrinoUri() {
        return trinoUri;
    }

    @Config("stele.postgresql.trino-uri")
    @ConfigDescription(
            "Address of the Trino coordinator that runs statements without a fixed plan, as the"
                    + " same user; not set: they are refused")
    public PostgresConfig setTrinoUri(URI trinoUri) {
        this.trinoUri = Optional.ofNullable(trinoUri);
        return this;
    }

    @NotEmpty
    public String getTrinoCatalog() {
        return trinoCatalog;
    }

    @Config("stele.postgresql.trino-catalog")
    @ConfigDescription("Trino's catalog of this sidecar, of tables without a catalog in their name")
    public PostgresConfig setTrinoCatalog(String trinoCatalog) {
        this.trinoCatalog = trinoCatalog;
        return this;
    }

    public Optional<String> getTrinoUser() {
        return trinoUser;
    }

    @Config("stele.postgresql.trino-user")
    @ConfigDescription(
            "User as which the sidecar logs in to Trino, and which may impersonate the clients")
    public PostgresConfig setTrinoUser(String trinoUser) {
        this.trinoUser = Optional.ofNullable(trinoUser);
        return this;
    }

    public Optional<String> getTrinoPassword() {
        return trinoPassword;
    }

    @Config("stele.postgresql.trino-password")
    @ConfigSecuritySensitive
    @ConfigDescription("Password of stele.postgresql.trino-user")
    public PostgresConfig setTrinoPassword(String trinoPassword) {
        this.trinoPassword = Optional.ofNullable(trinoPassword);
        return this;
    }
}
