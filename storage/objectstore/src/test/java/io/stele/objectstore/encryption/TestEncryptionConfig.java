package io.stele.objectstore.encryption;

import static io.airlift.configuration.testing.ConfigAssertions.assertRecordedDefaults;
import static io.airlift.configuration.testing.ConfigAssertions.recordDefaults;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.airlift.configuration.ConfigurationFactory;
import io.stele.objectstore.encryption.Encryption.KeyFingerprint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TestEncryptionConfig {
    @TempDir private Path directory;

    @Test
    void defaults() {
        assertRecordedDefaults(
                recordDefaults(EncryptionConfig.class)
                        .setMasterKeys(null)
                        .setMasterKeyFile(null)
                        .setMasterKeyCommand(null)
                        .setRefusePlain(false));
    }

    /** Each way by itself: there is one at a time. */
    @Test
    void explicitMappings() {
        assertThat(config(Map.of(EncryptionConfig.KEYS, "a:b")).getMasterKeys()).hasValue("a:b");
        EncryptionConfig file =
                config(
                        Map.of(
                                EncryptionConfig.KEY_FILE,
                                "/keys",
                                "stele.encryption.refuse-plain",
                                "true"));
        assertThat(file.getMasterKeyFile()).hasValue("/keys");
        assertThat(file.isRefusePlain()).isTrue();
        assertThat(config(Map.of(EncryptionConfig.KEY_COMMAND, "get keys")).getMasterKeyCommand())
                .hasValue("get keys");
    }

    private static EncryptionConfig config(Map<String, String> properties) {
        return new ConfigurationFactory(properties).build(EncryptionConfig.class);
    }

    @Test
    void whatContradictsItselfIsRefused() {
        assertThatThrownBy(
                        () ->
                                config(
                                        Map.of(
                                                EncryptionConfig.KEYS,
                                                "a:b",
                                                EncryptionConfig.KEY_FILE,
                                                "/keys")))
                .hasMessageContaining("one of stele.encryption.master-keys, -master-key-file");
        assertThatThrownBy(() -> config(Map.of("stele.encryption.refuse-plain", "true")))
                .hasMessageContaining("needs master keys");
    }

    private static Encryption read(EncryptionConfig config) throws IOException {
        return Encryption.of(config, new Random(1));
    }

    private static void assertIds(Encryption encryption, String... ids) {
        assertThat(encryption.fingerprints()).extracting(KeyFingerprint::id).containsExactly(ids);
        assertThat(encryption.fingerprints())
                .isEqualTo(TestKeys.of(ids).fingerprints())
                .allMatch(key -> key.fingerprint().matches("[0-9a-f]{16}"));
    }

    @Test
    void keysAreReadWhereTheyAre() throws IOException {
        assertThat(read(new EncryptionConfig()).isEnabled()).isFalse();
        String two = TestKeys.entry("b") + "," + TestKeys.entry("a");
        assertIds(read(new EncryptionConfig().setMasterKeys(two)), "b", "a");
        Path file = directory.resolve("keys");
        String lines = "# newest first\n\n" + two.replace(",", "\n  ") + "\n";
        Files.writeString(file, lines);
        assertIds(read(new EncryptionConfig().setMasterKeyFile(file.toString())), "b", "a");
        assertIds(read(new EncryptionConfig().setMasterKeyCommand("cat  " + file)), "b", "a");
    }

    @Test
    void whatIsWrongWithThemIsSaidWithoutThem() throws IOException {
        String good = TestKeys.entry("a");
        String secret = good.substring(2);
        for (String[] wrong :
                new String[][] {
                    {"", "expected <id>:<base64>", "for key 1"},
                    {secret, "expected <id>:<base64>", "for key 1"},
                    {good + ",b c:" + secret, "expected <id>:<base64>", "for key 2"},
                    {good + "," + good, "each id once", "'a' again"},
                    {"a:" + secret.substring(4), "32 bytes", "found 29"},
                    {"a:*" + secret, "base64 after 'a:'", "something else"},
                }) {
            assertThatThrownBy(() -> read(new EncryptionConfig().setMasterKeys(wrong[0])))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("stele.encryption.master-keys: expected")
                    .hasMessageContaining(wrong[1])
                    .hasMessageContaining(wrong[2])
                    .message()
                    .doesNotContain(secret.substring(4, 20));
        }
        Path file = directory.resolve("keys");
        assertThatThrownBy(() -> read(new EncryptionConfig().setMasterKeyFile(file.toString())))
                .hasMessageContaining("stele.encryption.master-key-file: expected a file")
                .hasMessageContaining(file.toString());
        Files.writeString(file, "# none\n");
        assertThatThrownBy(() -> read(new EncryptionConfig().setMasterKeyFile(file.toString())))
                .hasMessageContaining("at least one key")
                .hasMessageContaining(file.toString());
        Files.writeString(file, "#".repeat(70_000));
        assertThatThrownBy(() -> read(new EncryptionConfig().setMasterKeyFile(file.toString())))
                .hasMessageContaining("at most 65536 bytes");
        assertThatThrownBy(() -> read(new EncryptionConfig().setMasterKeyCommand("cat " + file)))
                .hasMessageContaining("at most 65536 bytes");
        assertThatThrownBy(() -> read(new EncryptionConfig().setMasterKeyCommand("false token")))
                .hasMessage(
                        "stele.encryption.master-key-command=false ...: expected exit code 0, found 1");
        assertThatThrownBy(
                        () -> read(new EncryptionConfig().setMasterKeyCommand("no-such-command-x")))
                .hasMessageContaining("expected a command that can be run");
    }
}
