package io.stele.objectstore.encryption;

import io.airlift.configuration.Config;
import io.airlift.configuration.ConfigDescription;
import io.airlift.configuration.ConfigSecuritySensitive;
import jakarta.validation.constraints.AssertTrue;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Configuration of the encryption of a warehouse and a log, for sidecars and catalogs alike. With a
 * master key, both warehouse and log are encrypted.
 *
 * <p>Not final: airlift subclasses it to test its defaults.
 */
public class EncryptionConfig {
    static final String KEYS = "stele.encryption.master-keys";
    static final String KEY_FILE = "stele.encryption.master-key-file";
    static final String KEY_COMMAND = "stele.encryption.master-key-command";

    private Optional<String> masterKeys = Optional.empty();
    private Optional<String> masterKeyFile = Optional.empty();
    private Optional<String> masterKeyCommand = Optional.empty();
    private boolean refusePlain;

    public Optional<String> getMasterKeys() {
        return masterKeys;
    }

    @Config(KEYS)
    @ConfigSecuritySensitive
    @ConfigDescription(
            "Keys of 32 bytes as id:base64, separated by commas: the first encrypts, all decrypt")
    public EncryptionConfig setMasterKeys(@Nullable String masterKeys) {
        this.masterKeys = Optional.ofNullable(masterKeys);
        return this;
    }

    public Optional<String> getMasterKeyFile() {
        return masterKeyFile;
    }

    @Config(KEY_FILE)
    @ConfigDescription("File with a key as id:base64 on each line: the first encrypts, all decrypt")
    public EncryptionConfig setMasterKeyFile(@Nullable String masterKeyFile) {
        this.masterKeyFile = Optional.ofNullable(masterKeyFile);
        return this;
    }

    public Optional<String> getMasterKeyCommand() {
        return masterKeyCommand;
    }

    @Config(KEY_COMMAND)
    @ConfigDescription(
            "Command, with arguments separated by spaces, that writes such lines to its standard output")
    public EncryptionConfig setMasterKeyCommand(@Nullable String masterKeyCommand) {
        this.masterKeyCommand = Optional.ofNullable(masterKeyCommand);
        return this;
    }

    public boolean isRefusePlain() {
        return refusePlain;
    }

    @Config("stele.encryption.refuse-plain")
    @ConfigDescription("Whether an object that is not encrypted is an error instead of an old one")
    public EncryptionConfig setRefusePlain(boolean refusePlain) {
        this.refusePlain = refusePlain;
        return this;
    }

    @AssertTrue(
            message =
                    "master keys come from one of stele.encryption.master-keys, -master-key-file and -master-key-command")
    public boolean isOneSource() {
        return sources() <= 1;
    }

    @AssertTrue(message = "stele.encryption.refuse-plain needs master keys")
    public boolean isPlainRefusedWithKeysOnly() {
        return !refusePlain || sources() > 0;
    }

    private long sources() {
        return Stream.of(masterKeys, masterKeyFile, masterKeyCommand)
                .filter(Optional::isPresent)
                .count();
    }
}
