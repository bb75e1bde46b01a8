// SPDX-License-Identifier: Apache-2.0
#include "traffic/built_in_sizes.h"

#include <array>
#include <string>
#include <vector>

namespace weir {

namespace {

// Points of the published curves. Curves with hundreds of points are approximated by at most 24 points: within 2.2 % at
// the quantiles listed in built_in_sizes_test.cpp, with the same mean.

constexpr SizePoint kWebsearch[] = {{0, 0},         {10000, 0.15},  {20000, 0.2},     {30000, 0.3},
                                    {50000, 0.4},   {80000, 0.53},  {200000, 0.6},    {1000000, 0.7},
                                    {2000000, 0.8}, {5000000, 0.9}, {10000000, 0.97}, {30000000, 1}};

constexpr SizePoint kWebSearchFg[] = {
    {1460, 0.025},     {8760, 0.15},     {18980, 0.2},         {27740, 0.3},     {29200, 0.3071},   {46730, 0.3929},
    {48180, 0.4},      {75990, 0.5238},  {79090, 0.531},       {172000, 0.5867}, {194200, 0.6},     {974400, 0.7},
    {1460000, 0.75},   {1946000, 0.8},   {3406000, 0.85},      {4879000, 0.9},   {10710000, 0.905}, {16550000, 0.935},
    {25310000, 0.979}, {27250000, 0.99}, {29010000, 0.998914}, {29200000, 1}};

constexpr SizePoint kFbHadoop[] = {{50, 0},
                                   {125, 0.0101},
                                   {282, 0.0253},
                                   {354, 0.1916},
                                   {443, 0.2293},
                                   {656, 0.514},
                                   {863, 0.5919},
                                   {1792, 0.674},
                                   {6877, 0.7036},
                                   {39000, 0.729},
                                   {52330, 0.816},
                                   {103700, 0.8905},
                                   {140400, 0.912},
                                   {236500, 0.9428},
                                   {284900, 0.9536},
                                   {497800, 0.9639},
                                   {938500, 0.9721},
                                   {2084000, 0.986},
                                   {2502000, 0.9884},
                                   {3995000, 0.992228},
                                   {5578000, 0.995115},
                                   {6301000, 0.996281},
                                   {8917000, 0.999024},
                                   {10000000, 1}};

constexpr SizePoint kFbHadoopHpcc[] = {{0, 0},        {100, 0.01},    {200, 0.02},      {300, 0.05},     {350, 0.15},
                                       {400, 0.2},    {500, 0.3},     {600, 0.4},       {700, 0.5},      {1000, 0.6},
                                       {2000, 0.67},  {7000, 0.7},    {30000, 0.72},    {50000, 0.82},   {80000, 0.87},
                                       {120000, 0.9}, {300000, 0.95}, {1000000, 0.975}, {2000000, 0.99}, {10000000, 1}};

constexpr SizePoint kGoogle[] = {{3, 0.0649},         {31, 0.0964},        {59, 0.1507},        {101, 0.2991},
                                 {171, 0.4326},       {255, 0.4989},       {354, 0.6697},       {505, 0.7859},
                                 {633, 0.8156},       {898, 0.8535},       {1693, 0.8997},      {2682, 0.9227},
                                 {5856, 0.9534},      {10910, 0.9766},     {15360, 0.9831},     {33300, 0.991516},
                                 {94300, 0.995597},   {156100, 0.998168},  {340300, 0.998938},  {440400, 0.999508},
                                 {1090000, 0.999798}, {2316000, 0.999904}, {6235000, 0.999975}, {15158197, 1}};

constexpr SizePoint kGoogleSearch[] = {{2, 0.0756},        {4, 0.1573},        {8, 0.1634},         {32, 0.1932},
                                       {53, 0.305},        {238, 0.4525},      {394, 0.7807},       {515, 0.9129},
                                       {713, 0.9392},      {1022, 0.9593},     {1448, 0.972},       {2136, 0.9825},
                                       {2905, 0.9896},     {4160, 0.995733},   {6737, 0.997807},    {9829, 0.998625},
                                       {22100, 0.99905},   {91870, 0.999718},  {131400, 0.999877},  {186200, 0.999936},
                                       {268700, 0.999975}, {898300, 0.999991}, {1881000, 0.999997}, {3529904, 1}};

constexpr SizePoint kMemcached[] = {{1, 0.0058},    {2, 0.1931},      {5, 0.3076},      {10, 0.3229},  {11, 0.4109},
                                    {18, 0.4802},   {58, 0.5665},     {98, 0.6323},     {145, 0.6953}, {198, 0.7506},
                                    {258, 0.7964},  {334, 0.8414},    {423, 0.8784},    {523, 0.907},  {642, 0.9293},
                                    {761, 0.9463},  {898, 0.96},      {1062, 0.9694},   {1253, 0.978}, {1497, 0.9843},
                                    {1723, 0.9885}, {2110, 0.992777}, {2495, 0.994735}, {4120, 1}};

constexpr SizePoint kWebServer[] = {
    {50, 0},          {77, 0.0514},    {112, 0.0937},   {186, 0.1522},      {279, 0.206},       {1927, 0.4067},
    {3045, 0.485},    {4863, 0.5604},  {7050, 0.6139},  {10450, 0.6575},    {15440, 0.6941},    {23950, 0.7307},
    {33940, 0.7563},  {45800, 0.7765}, {62460, 0.7943}, {81780, 0.8089},    {149100, 0.8274},   {358100, 0.9577},
    {404000, 0.9755}, {452800, 0.984}, {552400, 0.99},  {662200, 0.993532}, {797600, 0.996786}, {1000000, 1}};

constexpr SizePoint kCacheFollower[] = {
    {50, 0},           {68, 0.0214},     {155, 0.0439},     {261, 0.0536},     {346, 0.1876},       {489, 0.2775},
    {690, 0.34},       {1125, 0.4},      {1623, 0.4324},    {3339, 0.4575},    {6872, 0.4746},      {28310, 0.5},
    {310500, 0.6542},  {313100, 0.6562}, {578600, 0.7064},  {600800, 0.7138},  {1468000, 0.7206},   {1508000, 0.7218},
    {1635000, 0.7516}, {2827000, 0.974}, {2973000, 0.9853}, {3051000, 0.9898}, {3282000, 0.994658}, {3837698, 1}};

constexpr SizePoint kAliStorage[] = {{0, 0},           {4000, 0.2293},   {8000, 0.6921},
                                     {16000, 0.8061},  {32000, 0.9047},  {64000, 0.9353},
                                     {128000, 0.9677}, {256000, 0.9753}, {2000000, 1}};

constexpr SizePoint kSolar[] = {{0, 0},       {4095, 1e-05}, {4096, 0.3},   {16383, 0.35},
                                {16384, 0.5}, {65535, 0.6},  {65536, 0.95}, {262144, 1}};

constexpr SizePoint kDatamining[] = {
    {100, 0}, {10000, 0.8}, {152522, 0.8346}, {390541, 0.9}, {3223542, 0.953846}, {100000000, 0.99}, {1000000000, 1}};

constexpr SizePoint kEnterprise[] = {{250, 0},
                                     {405, 0.0995},
                                     {774, 0.2697},
                                     {1772, 0.4829},
                                     {3164, 0.6003},
                                     {6332, 0.7302},
                                     {10560, 0.8045},
                                     {17100, 0.8494},
                                     {36380, 0.8995},
                                     {71650, 0.9308},
                                     {140400, 0.9531},
                                     {342200, 0.97},
                                     {899100, 0.98},
                                     {2229000, 0.990136},
                                     {6432000, 0.994999},
                                     {13450000, 0.997965},
                                     {23090000, 0.998062},
                                     {40580000, 0.999004},
                                     {59280000, 0.999406},
                                     {92960000, 0.999703},
                                     {168700000, 0.9999},
                                     {248800000, 0.999962},
                                     {525000000, 0.999995},
                                     {1773379248, 1}};

constexpr std::array<BuiltInSizes, 13> kTables{{
    {"websearch",
     "Web search, Alizadeh et al. (DCTCP), SIGCOMM 2010, as used by HPCC, BFC, SPFC and RoCC; mean 1.71 MB",
     kWebsearch},
    {"web_search_fg",
     "Web search, the same measurement as used by Homa (W5), Floodgate and Pyrrha, in packets of 1460 B; mean 2.51 MB",
     kWebSearchFg},
    {"fb_hadoop", "Hadoop at Facebook, Roy et al., SIGCOMM 2015; Homa W4; BFC, Floodgate; mean 122 KB", kFbHadoop},
    {"fb_hadoop_hpcc", "The same, reduced to 20 points by HPCC (SIGCOMM 2019); SPFC, RoCC; mean 120 KB", kFbHadoopHpcc},
    {"google", "All applications of a Google data centre, Homa W3, SIGCOMM 2018; BFC; mean 2.9 KB", kGoogle},
    {"google_search", "Search at Google, Homa W2, SIGCOMM 2018; mean 423 B", kGoogleSearch},
    {"memcached",
     "Key-value store at Facebook, Atikoglu et al., SIGMETRICS 2012; Homa W1; Floodgate, Pyrrha; mean 181 B",
     kMemcached},
    {"web_server", "Web server at Facebook, within a cluster, Roy et al., SIGCOMM 2015; Floodgate, Pyrrha; mean 62 KB",
     kWebServer},
    {"cache_follower", "Cache follower at Facebook, within a cluster, Roy et al., SIGCOMM 2015; mean 687 KB",
     kCacheFollower},
    {"ali_storage", "Distributed storage at Alibaba, 2019, published with HPCC (SIGCOMM 2019); mean 41 KB",
     kAliStorage},
    {"solar", "Storage at Alibaba, Solar, SIGCOMM 2022; mean 39 KB", kSolar},
    {"datamining", "Data mining, Greenberg et al. (VL2), SIGCOMM 2009; mean 7.5 MB", kDatamining},
    {"enterprise", "Enterprise, Alizadeh et al. (CONGA), SIGCOMM 2014; mean 216 KB", kEnterprise},
}};

}  // namespace

std::span<const BuiltInSizes> built_in_sizes() {
  return kTables;
}

std::shared_ptr<const SizeTable> built_in_size_table(std::string_view name) {
  for (const BuiltInSizes& table : kTables) {
    if (table.name != name) continue;
    return std::make_shared<const SizeTable>(
        std::string(name), std::vector<SizePoint>(table.points.begin(), table.points.end()), SizeTable::Form::linear);
  }
  return nullptr;
}

}  // namespace weir
