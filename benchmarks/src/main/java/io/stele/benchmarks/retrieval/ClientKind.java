package io.stele.benchmarks.retrieval;

import io.stele.benchmarks.servers.S3Servers;
import io.stele.objectstore.retrieval.RetrievalConfig;
import io.stele.objectstore.s3.S3ObjectStore;
import io.stele.testing.VersityGateway;
import java.io.EOFException;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.Map;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ChecksumMode;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.transfer.s3.S3TransferManager;
import software.amazon.awssdk.transfer.s3.model.DownloadRequest;

/**
 * The S3 clients that the benchmark compares, each with signed requests, retries, CRC32C checksums
 * of whole objects, and a reused buffer. The buffer is an array, which is all that the SDK can
 * fill, except for {@link #STELE}.
 */
enum ClientKind {
    /** Stele's download manager over its own connections, into buffers outside of the heap. */
    STELE(true) {
        @Override
        ObjectClient open(int port, int concurrency) throws IOException {
            return stele(port, new RetrievalConfig());
        }
    },
    /** The same into arrays. */
    STELE_ARRAYS(false) {
        @Override
        ObjectClient open(int port, int concurrency) throws IOException {
            return stele(port, new RetrievalConfig());
        }
    },
    /** Into arrays, without hedging. */
    STELE_UNHEDGED(false) {
        @Override
        ObjectClient open(int port, int concurrency) throws IOException {
            return stele(port, new RetrievalConfig().setHedgeBudget(0));
        }
    },
    /** S3Client over Apache's HTTP client, the body from its stream. */
    APACHE(false) {
        @Override
        ObjectClient open(int port, int concurrency) {
            S3Client client =
                    S3Client.builder()
                            .httpClient(
                                    Apache5HttpClient.builder().maxConnections(concurrency).build())
                            .endpointOverride(endpoint(port))
                            .region(Region.US_EAST_1)
                            .forcePathStyle(true)
                            .credentialsProvider(credentials())
                            .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                            .responseChecksumValidation(ResponseChecksumValidation.WHEN_SUPPORTED)
                            .build();
            return new ObjectClient() {
                @Override
                public void read(String key, long offset, ByteBuffer buffer) throws IOException {
                    byte[] array = buffer.array();
                    try (ResponseInputStream<GetObjectResponse> body =
                            client.getObject(request(key, offset, array.length))) {
                        if (body.readNBytes(array, 0, array.length) < array.length) {
                            throw new EOFException("Expected more of " + key);
                        }
                    }
                }

                @Override
                public void close() {
                    client.close();
                }
            };
        }
    },
    /** S3AsyncClient of the Common Runtime (native code), into the array piece by piece. */
    CRT(false) {
        @Override
        ObjectClient open(int port, int concurrency) {
            S3AsyncClient client = crt(port, concurrency);
            return new ObjectClient() {
                @Override
                public void read(String key, long offset, ByteBuffer buffer) {
                    int length =
                            client.getObject(
                                            request(key, offset, buffer.capacity()),
                                            new IntoArray(buffer.array()))
                                    .join();
                    IntoArray.check(key, buffer.array(), length);
                }

                @Override
                public void close() {
                    client.close();
                }
            };
        }
    },
    /** S3TransferManager over that. */
    TRANSFER_MANAGER(false) {
        @Override
        ObjectClient open(int port, int concurrency) {
            S3AsyncClient client = crt(port, concurrency);
            S3TransferManager manager = S3TransferManager.builder().s3Client(client).build();
            return new ObjectClient() {
                @Override
                public void read(String key, long offset, ByteBuffer buffer) {
                    int length =
                            manager.download(
                                            DownloadRequest.builder()
                                                    .getObjectRequest(
                                                            request(key, offset, buffer.capacity()))
                                                    .responseTransformer(
                                                            new IntoArray(buffer.array()))
                                                    .build())
                                    .completionFuture()
                                    .join()
                                    .result();
                    IntoArray.check(key, buffer.array(), length);
                }

                @Override
                public void close() {
                    manager.close();
                    client.close();
                }
            };
        }
    };

    private final boolean direct;

    ClientKind(boolean direct) {
        this.direct = direct;
    }

    /** A buffer to read into. */
    ByteBuffer allocate(int length) {
        return direct ? ByteBuffer.allocateDirect(length) : ByteBuffer.allocate(length);
    }

    /** Makes the client. */
    abstract ObjectClient open(int port, int concurrency) throws IOException;

    /** The name in metrics. */
    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static ObjectClient stele(int port, RetrievalConfig config) throws IOException {
        S3ObjectStore store = S3Servers.store(port, "", config);
        return new ObjectClient() {
            @Override
            public void read(String key, long offset, ByteBuffer buffer) throws IOException {
                store.read(key, offset, buffer.duplicate().clear());
            }

            @Override
            public void close() throws IOException {
                store.close();
            }
        };
    }

    private static S3AsyncClient crt(int port, int concurrency) {
        return S3AsyncClient.crtBuilder()
                .endpointOverride(endpoint(port))
                .region(Region.US_EAST_1)
                .forcePathStyle(true)
                .credentialsProvider(credentials())
                .maxConcurrency(concurrency)
                .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                .responseChecksumValidation(ResponseChecksumValidation.WHEN_SUPPORTED)
                .build();
    }

    private static GetObjectRequest request(String key, long offset, int length) {
        return GetObjectRequest.builder()
                .bucket(VersityGateway.BUCKET)
                .key(key)
                .range("bytes=" + offset + "-" + (offset + length - 1))
                .checksumMode(ChecksumMode.ENABLED)
                .build();
    }

    private static URI endpoint(int port) {
        return URI.create("http://127.0.0.1:" + port);
    }

    private static AwsCredentialsProvider credentials() {
        Map<String, String> properties = VersityGateway.properties(0);
        return StaticCredentialsProvider.create(
                AwsBasicCredentials.create(
                        properties.get("s3.aws-access-key"), properties.get("s3.aws-secret-key")));
    }
}
