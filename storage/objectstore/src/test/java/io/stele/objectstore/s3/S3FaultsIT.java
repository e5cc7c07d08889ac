package io.stele.objectstore.s3;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.api.Assumptions.abort;

import io.airlift.units.DataSize;
import io.airlift.units.Duration;
import io.stele.objectstore.ConditionalCreate;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.ObjectWriter;
import io.stele.objectstore.retrieval.RetrievalConfig;
import io.stele.testing.FaultProxy;
import io.stele.testing.FaultProxy.Fault;
import io.stele.testing.FaultProxy.Fault.Answers;
import io.stele.testing.FaultProxy.Fault.AnswersAfterwards;
import io.stele.testing.FaultProxy.Fault.CutsBody;
import io.stele.testing.FaultProxy.Fault.DamagesBody;
import io.stele.testing.FaultProxy.Fault.Delays;
import io.stele.testing.FaultProxy.Fault.LosesAnswer;
import io.stele.testing.FaultProxy.Fault.Stalls;
import io.stele.testing.FaultProxy.Request;
import io.stele.testing.S3Server;
import io.stele.testing.VersityGateway;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A store on a real S3 server, whose network loses, delays, cuts and refuses requests. */
@ParameterizedClass
@EnumSource
final class S3FaultsIT {
    private static final int PART_BYTES = 5 << 20;
    private static final Predicate<Request> PUTS = line("PUT ").and(line("uploadId").negate());
    private static final Predicate<Request> GETS = line("GET ");
    private static final Predicate<Request> PARTS = line("partNumber=");
    private static final Predicate<Request> JOINS =
            line("POST ").and(line("uploadId=")).and(line("partNumber").negate());
    private static final Answers BUSY = new Answers(503, "SlowDown");

    @RegisterExtension static final S3Server S3 = new S3Server();

    private static final AtomicInteger PREFIXES = new AtomicInteger();

    @Parameter RetrievalConfig.Client client;

    private FaultProxy proxy;
    private S3Location location;
    private ObjectStore store;
    private ObjectStore other;

    @BeforeEach
    void open() throws IOException {
        proxy = new FaultProxy(S3.gateway().port());
        location = new S3Location(VersityGateway.BUCKET, "faults-" + PREFIXES.incrementAndGet());
        store = store(settings());
        other =
                GatewayConfig.open(
                        location,
                        GatewayConfig.of(S3.gateway()),
                        client,
                        new Random(2),
                        S3FaultsIT::dontWait);
    }

    @AfterEach
    void close() throws IOException {
        store.close();
        other.close();
        proxy.close();
    }

    private S3Config settings() {
        return GatewayConfig.of(proxy.port())
                .setStreamingPartSize(DataSize.ofBytes(PART_BYTES))
                .setMaxErrorRetries(3);
    }

    private ObjectStore store(S3Config settings) throws IOException {
        return GatewayConfig.open(location, settings, client, new Random(1), S3FaultsIT::dontWait);
    }

    private static void dontWait(long millis) {}

    private static Predicate<Request> line(String part) {
        return request -> request.line().contains(part);
    }

    @Test
    void aLostAnswerOfACreationIsFoundOut() throws Exception {
        proxy.plan(PUTS, new LosesAnswer());
        assertThat(store.createIfAbsent("x", bytes("ours"))).isTrue();
        assertThat(proxy.seen(PUTS)).hasSize(2);
        assertThat(store.readFully("x")).isEqualTo(bytes("ours"));
        assertThat(store.createIfAbsent("x", bytes("ours"))).isFalse();
    }

    @Test
    void anErrorAfterTheEffectIsFoundOut() throws Exception {
        proxy.plan(PUTS, new AnswersAfterwards(500, "InternalError"), BUSY);
        assertThat(store.createIfAbsent("x", bytes("ours"))).isTrue();
        assertThat(proxy.allMet()).isTrue();
    }

    @Test
    void aServerThatFallsSilentAfterTheEffectIsFoundOut() throws Exception {
        proxy.plan(PUTS, new Stalls());
        try (ObjectStore impatient =
                store(
                        settings()
                                .setSocketTimeout(new Duration(1, TimeUnit.SECONDS))
                                .setMaxErrorRetries(10))) {
            assertThat(impatient.createIfAbsent("x", bytes("ours"))).isTrue();
        }
        // A slow server may need more
        assertThat(proxy.seen(PUTS)).hasSizeGreaterThanOrEqualTo(2);
    }

    @Test
    void anotherOneWhoComesInBetweenHasWon() throws Exception {
        other.createIfAbsent("x", bytes("theirs"));
        proxy.plan(PUTS, new LosesAnswer(), BUSY);
        assertThat(store.createIfAbsent("x", bytes("ours"))).isFalse();
        assertThat(store.readFully("x")).isEqualTo(bytes("theirs"));
    }

    @Test
    void aConflictIsTriedAgain() throws Exception {
        Answers conflict = new Answers(409, "ConditionalRequestConflict");
        proxy.plan(PUTS, conflict, conflict);
        assertThat(store.createIfAbsent("x", bytes("ours"))).isTrue();
        assertThat(proxy.seen(PUTS)).hasSize(3);
    }

    @Test
    void aRefusalIsNotTriedAgain() {
        proxy.plan(PUTS, new Answers(403, "AccessDenied"));
        assertThatThrownBy(() -> store.createIfAbsent("x", bytes("ours")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(location + "/x")
                .hasMessageContaining("403");
        assertThat(proxy.seen(PUTS)).hasSize(1);
    }

    @Test
    void aStoreThatStaysAwayEndsInAnError() {
        proxy.plan(PUTS, BUSY, new LosesAnswer(), BUSY, BUSY);
        // One of the four took place: nothing but reading can tell
        assertThatThrownBy(() -> store.createIfAbsent("x", bytes("ours")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(location + "/x");
        assertThat(proxy.seen(PUTS)).hasSize(4);
    }

    @Test
    void aLateRequestChangesNothing() throws Exception {
        proxy.plan(PUTS, new Delays());
        assertThat(store.createIfAbsent("x", bytes("ours"))).isTrue();
        assertThat(proxy.deliverLate()).singleElement().asString().contains(" 412 ");
        assertThat(store.readFully("x")).isEqualTo(bytes("ours"));
    }

    @Test
    void aLateRequestOfALoserChangesNothing() throws Exception {
        proxy.plan(PUTS, new Delays(), BUSY, BUSY, BUSY);
        assertThatThrownBy(() -> store.createIfAbsent("x", bytes("ours")))
                .isInstanceOf(IOException.class);
        assertThat(other.createIfAbsent("x", bytes("theirs"))).isTrue();
        assertThat(proxy.deliverLate()).singleElement().asString().contains(" 412 ");
        assertThat(store.readFully("x")).isEqualTo(bytes("theirs"));
    }

    @Test
    void aLostAnswerOfASwapIsFoundOut() throws Exception {
        other.createIfAbsent("x", bytes("1"));
        proxy.plan(PUTS, new LosesAnswer());
        assertThat(store.compareAndSwap("x", bytes("1"), bytes("2 ours"))).isTrue();
        proxy.plan(PUTS, new Answers(409, "ConditionalRequestConflict"), BUSY);
        assertThat(store.compareAndSwap("x", bytes("2 ours"), bytes("3 ours"))).isTrue();
        assertThat(proxy.allMet()).isTrue();
        assertThat(store.compareAndSwap("x", bytes("2 ours"), bytes("4 ours"))).isFalse();
        assertThat(other.readFully("x")).isEqualTo(bytes("3 ours"));
    }

    /** Ours was there, and another has come after it: neither yes nor no would be true. */
    @Test
    void aSwapThatAnotherFollowedIsNotLost() throws Exception {
        other.createIfAbsent("x", bytes("1"));
        proxy.plan(PUTS, new LosesAnswer());
        try (ObjectStore followed =
                GatewayConfig.open(location, settings(), client, new Random(3), _ -> follow())) {
            assertThatThrownBy(() -> followed.compareAndSwap("x", bytes("1"), bytes("2 ours")))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(location + "/x");
        }
        assertThat(other.readFully("x")).isEqualTo(bytes("3 theirs"));
    }

    private void follow() {
        try {
            assertThat(other.compareAndSwap("x", bytes("2 ours"), bytes("3 theirs"))).isTrue();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void readsAreRepeated() throws Exception {
        byte[] content = content(300_000);
        other.put("x", content);
        proxy.plan(GETS, new CutsBody(1_000), BUSY, new LosesAnswer());
        assertThat(store.read("x", 7, 200_000)).isEqualTo(Arrays.copyOfRange(content, 7, 200_007));
        proxy.plan(GETS, new CutsBody(0), new CutsBody(299_999));
        assertThat(store.readFully("x")).isEqualTo(content);
        assertThat(proxy.allMet()).isTrue();
    }

    /** Where an object is read whole, a byte that changed on the way is found. */
    @Test
    void damagedAnswersAreRepeated() throws Exception {
        byte[] content = content(300_000);
        store.put("x", content);
        proxy.plan(GETS, new DamagesBody(0), new DamagesBody(299_999));
        assertThat(store.readFully("x")).isEqualTo(content);
        assertThat(store.createIfAbsent("y", content)).isTrue();
        proxy.plan(GETS, new DamagesBody(7));
        assertThat(store.read("y", 0, content.length)).isEqualTo(content);
        try (ObjectWriter writer = store.create("z")) {
            writer.write(content, 0, content.length);
            writer.commit();
        }
        proxy.plan(GETS, new DamagesBody(150_000));
        assertThat(store.readFully("z")).isEqualTo(content);
        assertThat(proxy.allMet()).isTrue();
    }

    @Test
    void damageThatStaysIsAnError() throws Exception {
        byte[] content = content(1_000);
        store.put("x", content);
        proxy.plan(
                GETS,
                new DamagesBody(1),
                new DamagesBody(1),
                new DamagesBody(1),
                new DamagesBody(1));
        assertThatThrownBy(() -> store.readFully("x"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(location + "/x")
                .hasMessageContaining("checksum");
        proxy.plan(GETS, new DamagesBody(1));
        // Of a part S3 says nothing: that is for the checksums of the files
        assertThat(store.read("x", 0, 10)).isNotEqualTo(Arrays.copyOf(content, 10));
        try (ObjectStore unchecked = store(settings().setChecksumsEnabled(false))) {
            proxy.plan(GETS, new DamagesBody(1));
            assertThat(unchecked.readFully("x")).isNotEqualTo(content);
            unchecked.put("without", content);
        }
        assertThat(store.readFully("without")).isEqualTo(content);
        proxy.plan(GETS, new DamagesBody(1));
        assertThat(store.readFully("x")).isEqualTo(content);
    }

    /** Parts are sent with their checksums; what is joined of them is not compared. */
    @Test
    void partsHaveChecksums() throws Exception {
        byte[] content = content(PART_BYTES + 1_000);
        try (ObjectWriter writer = store.create("parts")) {
            writer.write(content, 0, content.length);
            writer.commit();
        }
        assertThat(store.readFully("parts")).isEqualTo(content);
        assertThat(proxy.seen(PARTS))
                .isNotEmpty()
                .allMatch(
                        part ->
                                part.head()
                                        .toLowerCase(Locale.ROOT)
                                        .contains("x-amz-checksum-crc32c: "));
    }

    @Test
    void listsWhoseXmlIsCutAreRepeated() throws Exception {
        other.put("x", content(1));
        proxy.plan(line("list-type"), new CutsBody(0), new CutsBody(300), BUSY);
        assertThat(store.list(""))
                .extracting(ObjectEntry::path, ObjectEntry::sizeBytes)
                .containsExactly(tuple("x", 1L));
        CutsBody cut = new CutsBody(300);
        proxy.plan(line("list-type"), cut, cut, cut, cut);
        assertThatThrownBy(() -> store.list(""))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(location.toString());
        assertThat(proxy.allMet()).isTrue();
    }

    /** The code of an error is in its body; without it, it may be any. */
    @Test
    void anErrorWhoseXmlIsCutIsTriedAgain() throws Exception {
        other.createIfAbsent("x", bytes("theirs"));
        proxy.plan(PUTS, new CutsBody(0), new CutsBody(30));
        assertThat(store.createIfAbsent("x", bytes("ours"))).isFalse();
        proxy.plan(GETS, new CutsBody(0));
        assertThatThrownBy(() -> store.readFully("missing"))
                .isInstanceOf(NoSuchFileException.class);
        assertThat(proxy.allMet()).isTrue();
    }

    @Test
    void aReadThatFailsEachTimeNamesItsObject() throws Exception {
        other.put("x", content(100));
        proxy.plan(GETS, BUSY, new CutsBody(50), BUSY, new CutsBody(99));
        assertThatThrownBy(() -> store.readFully("x"))
                .isInstanceOf(IOException.class)
                .isNotInstanceOf(NoSuchFileException.class)
                .hasMessageContaining(location + "/x");
    }

    @Test
    void aBucketThatIsNotThereIsAnError() throws Exception {
        S3Location elsewhere = new S3Location("no-such-bucket", "");
        try (ObjectStore nowhere =
                GatewayConfig.open(
                        elsewhere, settings(), client, new Random(1), S3FaultsIT::dontWait)) {
            assertThatThrownBy(() -> nowhere.readFully("x"))
                    .isInstanceOf(IOException.class)
                    .isNotInstanceOf(NoSuchFileException.class);
            assertThatThrownBy(() -> nowhere.createIfAbsent("x", bytes("x")))
                    .isInstanceOf(IOException.class);
            assertThatThrownBy(() -> nowhere.list("")).isInstanceOf(IOException.class);
        }
    }

    @Test
    void partsAreRepeatedAndJoinedOnce() throws Exception {
        byte[] content = content(2 * PART_BYTES + 12_345);
        proxy.plan(PARTS, BUSY, new LosesAnswer());
        proxy.plan(JOINS, new LosesAnswer(), new Answers(404, "NoSuchUpload"));
        try (ObjectWriter writer = store.create("large")) {
            writer.write(content);
            writer.commit();
        }
        assertThat(proxy.allMet()).isTrue();
        assertThat(proxy.seen(JOINS)).hasSize(2);
        assertThat(store.readFully("large")).isEqualTo(content);
        assertThat(uploads()).isEmpty();
    }

    @Test
    void partsThatLostAreThrownAway() throws Exception {
        proxy.plan(JOINS, BUSY, new Answers(409, "ConditionalRequestConflict"));
        try (ObjectWriter writer = store.create("large")) {
            writer.write(content(PART_BYTES + 1));
            assertThat(other.createIfAbsent("large", bytes("theirs"))).isTrue();
            assertThat(uploads()).hasSize(1);
            assertThatThrownBy(writer::commit).isInstanceOf(FileAlreadyExistsException.class);
        }
        assertThat(proxy.allMet()).isTrue();
        assertThat(store.readFully("large")).isEqualTo(bytes("theirs"));
        assertThat(uploads()).isEmpty();
    }

    @Test
    void anUploadThatWasThrownAwayCannotBeJoined() throws Exception {
        try (ObjectWriter writer = store.create("large")) {
            writer.write(content(PART_BYTES + 1));
            try (S3Clients clients = GatewayConfig.clients(S3.gateway())) {
                for (String upload : uploads()) {
                    clients.once(
                            client ->
                                    client.abortMultipartUpload(
                                            abort ->
                                                    abort.bucket(location.bucket())
                                                            .key(location.key("large"))
                                                            .uploadId(upload)));
                }
            }
            assertThatThrownBy(writer::commit)
                    .isInstanceOf(IOException.class)
                    .isNotInstanceOf(FileAlreadyExistsException.class);
        }
        assertThatThrownBy(() -> store.size("large")).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void aWriterThatIsClosedLeavesNoParts() throws Exception {
        try (ObjectWriter writer = store.create("large")) {
            writer.write(content(PART_BYTES + 1));
            assertThat(uploads()).hasSize(1);
        }
        assertThat(uploads()).isEmpty();
        assertThat(store.list("")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void oneOfManyCreatorsWinsOverABadNetwork(long seed) throws Exception {
        Random random = new Random(seed);
        for (int round = 0; round < 10; round++) {
            String path = "race/" + round;
            for (int i = 0; i < 12; i++) {
                proxy.plan(PUTS, anyFault(random));
            }
            AtomicInteger winners = new AtomicInteger();
            List<Thread> racers = new ArrayList<>();
            for (int racer = 0; racer < 6; racer++) {
                byte[] content = bytes("racer " + racer);
                racers.add(
                        Thread.ofVirtual()
                                .start(
                                        () -> {
                                            try {
                                                if (ConditionalCreate.create(
                                                                store, path, content, 5)
                                                        == ConditionalCreate.Outcome.CREATED) {
                                                    winners.incrementAndGet();
                                                }
                                            } catch (IOException e) {
                                                throw new IllegalStateException(e);
                                            }
                                        }));
            }
            for (Thread racer : racers) {
                racer.join();
            }
            assertThat(winners).as("seed %s, round %s", seed, round).hasValue(1);
            byte[] found = store.readFully(path);
            proxy.deliverLate();
            assertThat(store.readFully(path)).isEqualTo(found);
        }
        assertThat(proxy.allMet()).isTrue();
        assertThat(store.list("race/"))
                .hasSize(10)
                .extracting(ObjectEntry::sizeBytes)
                .containsOnly(7L);
    }

    private static Fault anyFault(Random random) {
        return switch (random.nextInt(6)) {
            case 0 -> BUSY;
            case 1 -> new AnswersAfterwards(500, "InternalError");
            case 2 -> new LosesAnswer();
            case 3 -> new Answers(409, "ConditionalRequestConflict");
            case 4 -> new Delays();
            default -> new CutsBody(0);
        };
    }

    @Test
    void objectsAskForTheirEncryption() throws Exception {
        try (ObjectStore encrypted =
                store(settings().setSseType(S3Config.SseType.KMS).setSseKmsKeyId("key-1"))) {
            // A server without KMS may refuse: what was asked for is what counts here
            proxy.plan(PUTS, new Answers(403, "AccessDenied"));
            proxy.plan(line("?uploads"), new Answers(403, "AccessDenied"));
            assertThatThrownBy(() -> encrypted.createIfAbsent("x", bytes("x")))
                    .isInstanceOf(IOException.class);
            assertThatThrownBy(
                            () -> {
                                try (ObjectWriter writer = encrypted.create("y")) {
                                    writer.write(content(PART_BYTES + 1));
                                }
                            })
                    .isInstanceOf(IOException.class);
        }
        assertThat(proxy.seen(_ -> true))
                .hasSize(2)
                .allMatch(request -> request.has("x-amz-server-side-encryption: aws:kms"))
                .allMatch(
                        request ->
                                request.has("x-amz-server-side-encryption-aws-kms-key-id: key-1"));
    }

    private List<String> uploads() {
        try (S3Clients clients = GatewayConfig.clients(S3.gateway())) {
            return clients
                    .once(
                            client ->
                                    client.listMultipartUploads(
                                            list ->
                                                    list.bucket(location.bucket())
                                                            .prefix(location.key(""))))
                    .uploads()
                    .stream()
                    .map(upload -> upload.uploadId())
                    .toList();
        }
    }

    private static byte[] content(int length) {
        byte[] content = new byte[length];
        new Random(length).nextBytes(content);
        return content;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
