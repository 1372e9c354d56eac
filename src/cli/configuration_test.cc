// SPDX-License-Identifier: Apache-2.0
#include "configuration.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "rookery/base/check.h"

#include "config_keys.h"

namespace rookery::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<Configuration> load(std::vector<std::string> arguments,
                           std::vector<std::string> environment = {}) {
  return Configuration::load(
      {.arguments = std::move(arguments), .environment = std::move(environment)});
}

std::vector<std::string> texts(const std::vector<Setting>& settings) {
  std::vector<std::string> out;
  for (const Setting& setting : settings) {
    out.push_back(setting.key + "=" + setting.value + " (" + setting.source + ")");
  }
  return out;
}

// A configuration file that goes when the test does.
class ConfigFile {
 public:
  explicit ConfigFile(std::string_view text)
      : path_(::testing::TempDir() + "rookery_config_XXXXXX") {
    const int descriptor = ::mkstemp(path_.data());
    RK_CHECK(descriptor >= 0);
    ::close(descriptor);
    std::ofstream(path_) << text;
  }

  ConfigFile(const ConfigFile&) = delete;
  ConfigFile& operator=(const ConfigFile&) = delete;

  ~ConfigFile() { std::remove(path_.c_str()); }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(Configuration, ReadsBothFormsOfOptions) {
  const auto c = load({"--DataDir=/a b", "--serverurl", "http://x", "--RunInMemory",
                       "--Logs.Mode=None", "--Logs.Mode=Information"});
  ASSERT_TRUE(c.has_value());
  EXPECT_EQ(c->text("DataDir"), "/a b");
  EXPECT_EQ(c->text("ServerUrl"), "http://x");
  EXPECT_TRUE(c->boolean("RunInMemory").value());
  EXPECT_EQ(c->text("Logs.Mode"), "Information");
}

TEST(Configuration, FallsBackToDefaults) {
  const auto c = load({});
  ASSERT_TRUE(c.has_value());
  EXPECT_EQ(c->text("DataDir"), "RavenData");
  EXPECT_EQ(c->text("ServerUrl.Tcp"), std::nullopt);
  EXPECT_FALSE(c->boolean("RunInMemory").value());
  EXPECT_EQ(c->integer("Http.MaxConnections", 1, 100'000).value(), 10'000);
}

TEST(Configuration, TheCommandLineWinsOverTheEnvironmentAndThatOverTheFile) {
  const ConfigFile file(
      R"({"DataDir": "file", "Logs": {"Mode": "None", "Path": "file"}, "RunInMemory": true,
          "Http.MaxConnections": 7})");
  const auto c = load({"--config-path", file.path(), "--DataDir=line"},
                      {"RAVEN_DataDir=env", "ROOKERY_LOGS_PATH=env", "PATH=/bin"});
  ASSERT_TRUE(c.has_value()) << c.error().to_string();
  EXPECT_EQ(c->text("DataDir"), "line");
  EXPECT_EQ(c->text("Logs.Path"), "env");
  EXPECT_EQ(c->text("Logs.Mode"), "None");
  EXPECT_TRUE(c->boolean("RunInMemory").value());
  EXPECT_EQ(c->integer("Http.MaxConnections", 1, 100).value(), 7);
}

TEST(Configuration, AMistypedKeyIsFatalAndNamesTheOneMeant) {
  for (const std::string key :
       {"DataDri", "DataDirs", "ataDir", "DatDir", "DataDirXY", "datadri"}) {
    const auto c = load({"--" + key + "=/other"});
    ASSERT_FALSE(c.has_value()) << key;
    EXPECT_THAT(std::string(c.error().message()), HasSubstr("'DataDir'")) << key;
    EXPECT_THAT(std::string(c.error().message()), HasSubstr("'" + key + "'")) << key;
  }
  EXPECT_FALSE(load({}, {"RAVEN_DataDri=/other"}).has_value());
}

TEST(Configuration, AnUnknownKeyIsListed) {
  const auto c = load({"--Some.Future.Key=1"}, {"RAVEN_Whatever_Else=2"});
  ASSERT_TRUE(c.has_value());
  EXPECT_THAT(c->unknown(),
              ElementsAre("Whatever.Else (RAVEN_Whatever_Else)", "Some.Future.Key (command line)"));
}

TEST(Configuration, AMistypedKeyIsFatalInAFileToo) {
  const ConfigFile file(R"({"Http": {"MaxConections": 7}})");
  const auto c = load({"--config-path", file.path()});
  ASSERT_FALSE(c.has_value());
  EXPECT_THAT(std::string(c.error().message()), HasSubstr("'Http.MaxConnections'"));
  EXPECT_THAT(std::string(c.error().message()), HasSubstr(file.path()));
}

TEST(Configuration, SaysWhatIsNotTheDefaultAndWhoSaidSo) {
  const ConfigFile file(
      R"({"DataDir": "file", "Logs.Path": "file", "Security.Certificate.Password": "open sesame",
          "Http.MaxConnections": 10000})");
  const auto c =
      load({"-c", file.path(), "--DataDir=line"}, {"RAVEN_Logs_Path=env", "RAVEN_Logs.Mode=None"});
  ASSERT_TRUE(c.has_value()) << c.error().to_string();
  EXPECT_EQ(c->file(), file.path());
  EXPECT_THAT(texts(c->changed()),
              ElementsAre("DataDir=line (command line)", "Logs.Mode=None (RAVEN_Logs.Mode)",
                          "Logs.Path=env (RAVEN_Logs_Path)",
                          "Security.Certificate.Password=******** (" + file.path() + ")"));
  EXPECT_THAT(texts(c->overridden()), ElementsAre("Logs.Path=file (" + file.path() + ")",
                                                  "DataDir=file (" + file.path() + ")"));
}

TEST(Configuration, ReadsTheDefaultFileUnlessAnotherIsNamed) {
  const ConfigFile standard(R"({"DataDir": "standard"})");
  const ConfigFile other(R"({"DataDir": "other"})");
  const auto with = [&](std::vector<std::string> arguments, const std::string& file) {
    return Configuration::load(
        {.arguments = std::move(arguments), .environment = {}, .default_file = file});
  };
  EXPECT_EQ(with({}, standard.path())->text("DataDir"), "standard");
  EXPECT_EQ(with({"-c=" + other.path()}, standard.path())->text("DataDir"), "other");
  const auto none = with({}, standard.path() + ".none");
  ASSERT_TRUE(none.has_value());
  EXPECT_EQ(none->text("DataDir"), "RavenData");
  EXPECT_EQ(none->file(), "");
}

TEST(Configuration, JoinsArrays) {
  const ConfigFile file(R"({"Notifications.FilterOut": ["a", "b", 3]})");
  EXPECT_EQ(load({"-c", file.path()})->text("Notifications.FilterOut"), "a;b;3");
}

TEST(Configuration, TakesTheSwitchesThatAskForWhatHappensAnyway) {
  const auto c = load({"-n", "--non-interactive", "-l", "--log-to-console", "--DataDir=x"});
  ASSERT_TRUE(c.has_value()) << c.error().to_string();
  EXPECT_THAT(texts(c->changed()), ElementsAre("DataDir=x (command line)"));
  EXPECT_THAT(c->unknown(), ElementsAre());
}

TEST(Configuration, KnownKeysWithoutEffectAreListed) {
  const auto c = load({"--Features.Availability=Experimental", "--DataDir=x"});
  ASSERT_TRUE(c.has_value());
  EXPECT_THAT(c->without_effect(), ElementsAre("Features.Availability"));
}

TEST(Configuration, RefusesWhatIsNoOption) {
  EXPECT_FALSE(load({"DataDir=/x"}).has_value());
  EXPECT_FALSE(load({"-d"}).has_value());
  EXPECT_FALSE(load({"--"}).has_value());
}

TEST(Configuration, RefusesAFolderThatWasForgotten) {
  for (const auto& [arguments, environment] :
       std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>>{
           {{"--DataDir"}, {}},
           {{"--DataDir", "--RunInMemory"}, {}},
           {{"--DataDir="}, {}},
           {{}, {"RAVEN_DataDir="}},
           {{"-c"}, {}}}) {
    EXPECT_FALSE(load(arguments, environment).has_value());
  }
  EXPECT_THAT(std::string(load({"--ServerUrl"}).error().message()), HasSubstr("--ServerUrl=VALUE"));
  EXPECT_TRUE(load({"--RunInMemory", "--print"}).has_value());
}

TEST(Configuration, ReadsAFileWithAByteOrderMark) {
  const ConfigFile file("\xEF\xBB\xBF{\"DataDir\": \"/marked\"}");
  const auto c = load({"--config-path", file.path()});
  ASSERT_TRUE(c.has_value()) << c.error().to_string();
  EXPECT_EQ(c->text("DataDir"), "/marked");
}

TEST(Configuration, RefusesBadFiles) {
  EXPECT_EQ(load({"--config-path=/does/not/exist"}).error().code(), ErrorCode::not_found);
  const ConfigFile broken("{\"DataDir\": ");
  EXPECT_EQ(load({"--config-path", broken.path()}).error().code(), ErrorCode::malformed);
  const ConfigFile list("[]");
  EXPECT_EQ(load({"--config-path", list.path()}).error().code(), ErrorCode::malformed);
}

TEST(Configuration, RefusesValuesThatAreNotOfTheirKind) {
  const auto c = load({"--RunInMemory=maybe", "--Http.MaxConnections=12x", "--Http.IoThreads=-1"});
  ASSERT_TRUE(c.has_value());
  EXPECT_THAT(std::string(c->boolean("RunInMemory").error().message()), HasSubstr("RunInMemory"));
  EXPECT_FALSE(c->integer("Http.MaxConnections", 1, 100).has_value());
  EXPECT_FALSE(c->integer("Http.IoThreads", 0, 100).has_value());
}

TEST(ConfigKeys, AreFartherApartThanATypingError) {
  // Otherwise a mistyped key could be taken for the wrong neighbour without a word.
  for (const ConfigKey& key : config_keys()) {
    EXPECT_EQ(find_config_key(key.name), &key) << key.name << " is in the table twice";
  }
}

TEST(EditDistance, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("DataDir", "datadir"), 0U);
  EXPECT_EQ(edit_distance("DataDri", "DataDir"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("abcd", "abc"), 1U);
}

}  // namespace
}  // namespace rookery::cli
