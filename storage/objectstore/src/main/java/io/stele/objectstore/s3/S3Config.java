package io.stele.objectstore.s3;

import io.airlift.configuration.Config;
import io.airlift.configuration.ConfigDescription;
import io.airlift.configuration.ConfigSecuritySensitive;
import io.airlift.units.DataSize;
import io.airlift.units.Duration;
import io.airlift.units.MaxDataSize;
import io.airlift.units.MinDataSize;
import io.airlift.units.MinDuration;
import jakarta.validation.constraints.AssertTrue;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Configuration of the access to a warehouse on S3. Sidecars and Trino catalogs use the same keys,
 * which are those of Trino's own S3 file system. Used only where the warehouse is on S3.
 *
 * <p>Not final: airlift subclasses it to test its defaults.
 */
public class S3Config {
    /** The encryption of objects at rest, and its key. */
    public enum SseType {
        /** The bucket's default. */
        NONE,
        /** By the service, with keys of its own (SSE-S3). */
        S3,
        /** By the service, with a key of KMS (SSE-KMS). */
        KMS
    }

    private Optional<String> endpoint = Optional.empty();
    private Optional<String> region = Optional.empty();
    private Optional<String> awsAccessKey = Optional.empty();
    private Optional<String> awsSecretKey = Optional.empty();
    private boolean pathStyleAccess;
    private SseType sseType = SseType.NONE;
    private Optional<String> sseKmsKeyId = Optional.empty();
    private boolean checksumsEnabled = true;
    private int maxConnections = 256;
    private int maxErrorRetries = 10;
    private Duration socketConnectTimeout = new Duration(5, TimeUnit.SECONDS);
    private Duration socketTimeout = new Duration(30, TimeUnit.SECONDS);
    // 16 MiB: requests of 8 to 16 MiB cost least, and 10,000 parts of this size exceed any file
    private DataSize streamingPartSize = DataSize.of(16, DataSize.Unit.MEGABYTE);

    public Optional<String> getEndpoint() {
        return endpoint;
    }

    @Config("s3.endpoint")
    @ConfigDescription("URL of the service; default: that of AWS in the region")
    public S3Config setEndpoint(@Nullable String endpoint) {
        this.endpoint = Optional.ofNullable(endpoint);
        return this;
    }

    @AssertTrue(message = "s3.endpoint must be http://host[:port] or https://host[:port]")
    public boolean isEndpointValid() {
        return endpoint.isEmpty() || endpoint.get().matches("https?://[^/\\s]+/?");
    }

    public Optional<String> getRegion() {
        return region;
    }

    @Config("s3.region")
    @ConfigDescription(
            "Region; default: what the environment says, or us-east-1 with an endpoint of one's own")
    public S3Config setRegion(@Nullable String region) {
        this.region = Optional.ofNullable(region);
        return this;
    }

    public Optional<String> getAwsAccessKey() {
        return awsAccessKey;
    }

    @Config("s3.aws-access-key")
    @ConfigDescription("Access key; default: the credential chain of the AWS SDK")
    public S3Config setAwsAccessKey(@Nullable String awsAccessKey) {
        this.awsAccessKey = Optional.ofNullable(awsAccessKey);
        return this;
    }

    public Optional<String> getAwsSecretKey() {
        return awsSecretKey;
    }

    @Config("s3.aws-secret-key")
    @ConfigSecuritySensitive
    @ConfigDescription("Secret of the access key")
    public S3Config setAwsSecretKey(@Nullable String awsSecretKey) {
        this.awsSecretKey = Optional.ofNullable(awsSecretKey);
        return this;
    }

    @AssertTrue(message = "s3.aws-access-key and s3.aws-secret-key must be set together")
    public boolean isCredentialsValid() {
        return awsAccessKey.isPresent() == awsSecretKey.isPresent();
    }

    public boolean isPathStyleAccess() {
        return pathStyleAccess;
    }

    @Config("s3.path-style-access")
    @ConfigDescription("Name the bucket in the path instead of the host name")
    public S3Config setPathStyleAccess(boolean pathStyleAccess) {
        this.pathStyleAccess = pathStyleAccess;
        return this;
    }

    @NotNull
    public SseType getSseType() {
        return sseType;
    }

    @Config("s3.sse.type")
    @ConfigDescription("Encryption by the service: NONE (as the bucket says), S3 or KMS")
    public S3Config setSseType(SseType sseType) {
        this.sseType = sseType;
        return this;
    }

    public Optional<String> getSseKmsKeyId() {
        return sseKmsKeyId;
    }

    @Config("s3.sse.kms-key-id")
    @ConfigDescription("KMS key; default: that of AWS for S3")
    public S3Config setSseKmsKeyId(@Nullable String sseKmsKeyId) {
        this.sseKmsKeyId = Optional.ofNullable(sseKmsKeyId);
        return this;
    }

    @AssertTrue(message = "s3.sse.kms-key-id needs s3.sse.type=KMS")
    public boolean isSseValid() {
        return sseKmsKeyId.isEmpty() || sseType == SseType.KMS;
    }

    @Min(1)
    @Max(10_000)
    public int getMaxConnections() {
        return maxConnections;
    }

    public boolean isChecksumsEnabled() {
        return checksumsEnabled;
    }

    @Config("s3.checksums-enabled")
    @ConfigDescription(
            "Objects are sent with their CRC32C, which the service checks, and compared with it when they are read whole; false for services that refuse such headers")
    public S3Config setChecksumsEnabled(boolean checksumsEnabled) {
        this.checksumsEnabled = checksumsEnabled;
        return this;
    }

    @Config("s3.max-connections")
    @ConfigDescription("Requests at once; more wait")
    public S3Config setMaxConnections(int maxConnections) {
        this.maxConnections = maxConnections;
        return this;
    }

    @Min(0)
    @Max(100)
    public int getMaxErrorRetries() {
        return maxErrorRetries;
    }

    @Config("s3.max-error-retries")
    @ConfigDescription("How often a request that failed for a reason that may pass is repeated")
    public S3Config setMaxErrorRetries(int maxErrorRetries) {
        this.maxErrorRetries = maxErrorRetries;
        return this;
    }

    @MinDuration("10ms")
    public Duration getSocketConnectTimeout() {
        return socketConnectTimeout;
    }

    @Config("s3.socket-connect-timeout")
    @ConfigDescription("How long a connection may take to be made")
    public S3Config setSocketConnectTimeout(Duration socketConnectTimeout) {
        this.socketConnectTimeout = socketConnectTimeout;
        return this;
    }

    @MinDuration("10ms")
    public Duration getSocketTimeout() {
        return socketTimeout;
    }

    @Config("s3.socket-timeout")
    @ConfigDescription("How long a connection may be silent within a request")
    public S3Config setSocketTimeout(Duration socketTimeout) {
        this.socketTimeout = socketTimeout;
        return this;
    }

    @MinDataSize("5MB")
    @MaxDataSize("256MB")
    public DataSize getStreamingPartSize() {
        return streamingPartSize;
    }

    @Config("s3.streaming.part-size")
    @ConfigDescription(
            "Objects larger than this are uploaded in parts of this size; each writer holds one in memory")
    public S3Config setStreamingPartSize(DataSize streamingPartSize) {
        this.streamingPartSize = streamingPartSize;
        return this;
    }
}
